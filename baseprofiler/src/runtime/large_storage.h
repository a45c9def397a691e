#ifndef GECKOPROF_BASEPROFILER_RUNTIME_LARGE_STORAGE_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_LARGE_STORAGE_H_

// Where static objects without an initial value lie: large ones behind all small ones, whole pages last.
//
//   | .data ............... | .bss: all that is small | .sbss: a kilobyte or more | .sbss.pages |
//                  | one page, which the loader writes to anyway |
//
// Every page that is touched at a process's start costs it 0.5 to 5 us. Compilers take these names for zeroed storage
// and linkers place them behind .bss; the ABIs of our machines give them no other meaning.
#define GECKOPROF_LARGE_STORAGE __attribute__((section(".sbss")))
#define GECKOPROF_PAGE_STORAGE __attribute__((section(".sbss.pages")))

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_LARGE_STORAGE_H_
