# libbaseprofiler.a: base for programs that the loader preloads nothing into (statically linked, set-user-id). The objects of
# libbaseprofiler.so, joined into one whose symbols are hidden but for the API, and changed by name only:
#
#   libbaseprofiler.so                        libbaseprofiler.a
#   pthread_create, in front of libc's        __wrap_pthread_create, and -Wl,--wrap=pthread_create for whoever links it
#   dlsym(RTLD_NEXT, "pthread_create")        __real_pthread_create, in a table
#   DT_INIT with -z initfirst                 .preinit_array
#
# One object, so that a program gets all of base or nothing, and so that its operator new stays its own.

# What base stands in front of, as in baseprofiler/exports.map, and calls libc's for. Without initgroups, which would link the
# name service into every program (it calls setgroups, which we hear of), dlclose, which would link the dynamic linker, and the
# functions of streams, through which dynamic programs count their threads.
set(GECKOPROF_WRAPPED_WITH_REAL
  pthread_create pthread_setname_np sigwaitinfo sigtimedwait prctl unshare setns setuid setgid seteuid setegid setreuid setregid setresuid setresgid
  setgroups capset chroot setrlimit prlimit mlockall fstatat fstatat64 ptrace)
# ... and what it does wholly by itself.
set(GECKOPROF_WRAPPED_WITHOUT_REAL
  sigaction signal __sysv_signal sysv_signal ssignal sigset sigignore siginterrupt sighold sigrelse sigprocmask pthread_sigmask sigwait sigaltstack
  setrlimit64 prlimit64 _exit _Exit)
set(GECKOPROF_LEFT_OUT initgroups dlclose fopen fopen64 fileno fileno_unlocked)
# What base calls behind whoever stands in front of it, and wraps not.
set(GECKOPROF_LOOKED_UP __register_atfork __cxa_atexit __cxa_at_quick_exit)
if(EXISTS ${PROJECT_SOURCE_DIR}/baseprofiler/src/hooks/${GECKOPROF_ARCH}/syscall_function.S)
  list(APPEND GECKOPROF_WRAPPED_WITHOUT_REAL syscall)
else()
  list(APPEND GECKOPROF_LEFT_OUT syscall)
endif()

# What a program must be linked with. --undefined brings the archive in where nothing else asks for it; --eh-frame-hdr, which gcc
# leaves out with -static, is the index that stacks are unwound by.
set(GECKOPROF_STATIC_LINK_OPTIONS -Wl,--undefined=geckoprof_base_state -Wl,--eh-frame-hdr)
foreach(function ${GECKOPROF_WRAPPED_WITH_REAL} ${GECKOPROF_WRAPPED_WITHOUT_REAL})
  list(APPEND GECKOPROF_STATIC_LINK_OPTIONS -Wl,--wrap=${function})
endforeach()

# Stops where exports.map and the lists above have drifted apart.
function(_geckoprof_check_wrapped map)
  file(READ ${map} text)
  string(REGEX REPLACE "#[^\n]*" "" text "${text}")
  string(REGEX MATCH "global:(.*)local:" text "${text}")
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z_0-9]*;" names "${CMAKE_MATCH_1}")
  foreach(name ${names})
    string(REPLACE ";" "" name "${name}")
    if(NOT name MATCHES "^geckoprof_" AND NOT name IN_LIST GECKOPROF_WRAPPED_WITH_REAL
       AND NOT name IN_LIST GECKOPROF_WRAPPED_WITHOUT_REAL AND NOT name IN_LIST GECKOPROF_LEFT_OUT)
      message(FATAL_ERROR "${map}: ${name} is not in a list of GeckoprofStaticArchive.cmake")
    endif()
  endforeach()
endfunction()

# The target baseprofiler_static, from the objects of base's folders and the archives of common/.
function(geckoprof_base_archive objects)
  set(map ${PROJECT_SOURCE_DIR}/baseprofiler/exports.map)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${map})
  _geckoprof_check_wrapped(${map})

  set(GECKOPROF_REAL_DECLARATIONS "")
  set(GECKOPROF_REAL_ENTRIES "")
  set(renamed "dlsym geckoprof_archive_next_definition\n")
  foreach(function ${GECKOPROF_WRAPPED_WITH_REAL})
    string(APPEND GECKOPROF_REAL_DECLARATIONS "extern Function __real_${function};\n")
    string(APPEND GECKOPROF_REAL_ENTRIES "      {\"${function}\", &__real_${function}},\n")
  endforeach()
  foreach(function ${GECKOPROF_LOOKED_UP})
    string(APPEND GECKOPROF_REAL_DECLARATIONS "extern Function ${function};\n")
    string(APPEND GECKOPROF_REAL_ENTRIES "      {\"${function}\", &${function}},\n")
  endforeach()
  set(kept "geckoprof_base_*\n")
  foreach(function ${GECKOPROF_WRAPPED_WITH_REAL} ${GECKOPROF_WRAPPED_WITHOUT_REAL})
    string(APPEND renamed "${function} __wrap_${function}\n")
    string(APPEND kept "__wrap_${function}\n")
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/archive)
  configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/static_archive_glue.c.in ${folder}/static_archive_glue.c @ONLY)
  file(CONFIGURE OUTPUT ${folder}/renamed.txt CONTENT "${renamed}")
  file(CONFIGURE OUTPUT ${folder}/kept.txt CONTENT "${kept}")

  add_library(baseprofiler_archive_glue OBJECT ${folder}/static_archive_glue.c)
  target_link_libraries(baseprofiler_archive_glue PRIVATE geckoprof_warnings)
  target_compile_options(baseprofiler_archive_glue PRIVATE -fvisibility=hidden -fno-stack-protector -ffunction-sections)

  # Members are taken as they are asked for; whatever base is not built of stays out.
  _geckoprof_all_targets(${PROJECT_SOURCE_DIR}/common common)
  set(archives "")
  foreach(target ${common})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND archives $<TARGET_FILE:${target}>)
    endif()
  endforeach()

  # --force-group-allocation: an inline function of ours must not be taken for the program's of the same name, nor the other way
  # round: they allocate differently. --weaken-symbol: objcopy hides no symbol of gcc's kind "unique"; weak ones it does.
  add_custom_command(
    OUTPUT ${folder}/base.o
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${folder}/joined.o
            ${objects} -Wl,--start-group ${archives} -Wl,--end-group
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${folder}/renamed.txt
            --add-symbol geckoprof_archive_constructor=.init_array:0,global,object
            ${folder}/joined.o ${folder}/renamed.o
    COMMAND ${CMAKE_OBJCOPY} --rename-section .init_array=.data.rel.ro.geckoprof_constructor
            --rename-section .rela.init_array=.rela.data.rel.ro.geckoprof_constructor
            --wildcard --weaken-symbol=_Z* ${folder}/renamed.o
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${folder}/whole.o ${folder}/renamed.o $<TARGET_OBJECTS:baseprofiler_archive_glue>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbols=${folder}/kept.txt ${folder}/whole.o ${folder}/base.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${folder}/joined.o ${folder}/renamed.o ${folder}/whole.o
    DEPENDS baseprofiler ${objects} $<TARGET_OBJECTS:baseprofiler_archive_glue>
            ${folder}/renamed.txt ${folder}/kept.txt
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Joining base into one object")
  add_library(baseprofiler_static STATIC ${folder}/base.o)
  set_source_files_properties(${folder}/base.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(baseprofiler_static PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME baseprofiler)
  target_link_options(baseprofiler_static INTERFACE ${GECKOPROF_STATIC_LINK_OPTIONS})
  set_property(TARGET baseprofiler_static PROPERTY GECKOPROF_LAYER base)
endfunction()
