# SPDX-License-Identifier: MIT
# The BPF capture: compiled by clang, made into a skeleton by bpftool, linked into the sim layer. Without them the same
# functions are built as stubs that say so.
set(PIPESCOPE_HAVE_BPF 0)
# The programs know where x86-64 has a system call's arguments, its numbers, and the form of its page tables.
if(PIPESCOPE_BPF AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  find_program(CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
  find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin) # often not in a user's PATH
  pkg_check_modules(libbpf IMPORTED_TARGET libbpf>=1.0)
  if(CLANG AND BPFTOOL AND libbpf_FOUND)
    # bpftool is a wrapper on some distributions, which fails where no tools of the running kernel are installed.
    execute_process(COMMAND ${BPFTOOL} version RESULT_VARIABLE bpftool_result OUTPUT_QUIET ERROR_QUIET)
    execute_process(COMMAND ${CLANG} -print-targets RESULT_VARIABLE clang_result OUTPUT_VARIABLE clang_targets ERROR_QUIET)
    if(bpftool_result EQUAL 0 AND clang_targets MATCHES "bpf")
      set(PIPESCOPE_HAVE_BPF 1)
    endif()
  endif()
  if(NOT PIPESCOPE_HAVE_BPF)
    message(STATUS "pipescope: built without the BPF capture (clang: ${CLANG}, bpftool: ${BPFTOOL}, libbpf: ${libbpf_VERSION})")
  endif()
endif()
target_compile_definitions(pipescope_sim PUBLIC PIPESCOPE_HAVE_BPF=${PIPESCOPE_HAVE_BPF})

if(PIPESCOPE_HAVE_BPF)
  set(bpf_out ${CMAKE_BINARY_DIR}/bpf)
  file(MAKE_DIRECTORY ${bpf_out})
  # <asm/types.h> lives in the multiarch folder, where clang does not look when it compiles for another target.
  set(bpf_flags -target bpf -mcpu=v3 -O2 -g -Wall -I${CMAKE_SOURCE_DIR}/sim/bpf)
  if(CMAKE_LIBRARY_ARCHITECTURE)
    list(APPEND bpf_flags -isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  foreach(dir ${libbpf_INCLUDE_DIRS})
    list(APPEND bpf_flags -isystem ${dir})
  endforeach()
  file(GLOB bpf_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/bpf/*.h)
  file(GLOB bpf_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/bpf/*.bpf.c)
  foreach(source ${bpf_sources})
    get_filename_component(name ${source} NAME) # ring.bpf.c
    string(REPLACE ".bpf.c" "" name ${name})
    add_custom_command(OUTPUT ${bpf_out}/${name}.skel.h
      COMMAND ${CLANG} ${bpf_flags} -c ${source} -o ${bpf_out}/${name}.bpf.o
      COMMAND ${BPFTOOL} gen skeleton ${bpf_out}/${name}.bpf.o name ${name}_bpf > ${bpf_out}/${name}.skel.tmp
      COMMAND ${CMAKE_COMMAND} -E rename ${bpf_out}/${name}.skel.tmp ${bpf_out}/${name}.skel.h
      DEPENDS ${source} ${bpf_headers} VERBATIM COMMENT "BPF ${name}")
    list(APPEND bpf_skeletons ${bpf_out}/${name}.skel.h)
  endforeach()
  target_sources(pipescope_sim PRIVATE ${bpf_skeletons})
  target_include_directories(pipescope_sim SYSTEM PRIVATE ${bpf_out}) # generated: not held to our warnings
  target_link_libraries(pipescope_sim PRIVATE PkgConfig::libbpf)
  if(PIPESCOPE_STATIC) # what libbpf needs itself; libelf takes libzstd from 0.189 on
    find_library(elf_library elf REQUIRED)
    find_library(z_library z REQUIRED)
    target_link_libraries(pipescope_sim PRIVATE ${elf_library} ${z_library} ${zstd_library})
  endif()
endif()
