#ifndef GECKOPROF_BASEPROFILER_RUNTIME_LARGE_STORAGE_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_LARGE_STORAGE_H_

// These macros place static objects without an initial value. Large objects lie after all small ones, and whole pages
// lie last.
//
//   | .data ............... | .bss: all small objects | .sbss: a kilobyte or more | .sbss.pages |
//                  | one page, which the loader writes to anyway |
//
// Each page that is touched when a process starts costs about a microsecond. Compilers take these names for zeroed
// storage, and linkers place them after .bss. The ABIs of our machines give these names no other meaning.
#define GECKOPROF_LARGE_STORAGE __attribute__((section(".sbss")))
#define GECKOPROF_PAGE_STORAGE __attribute__((section(".sbss.pages")))

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_LARGE_STORAGE_H_
