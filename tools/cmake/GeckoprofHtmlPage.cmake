# The page of `geckoprof report --html`:
#
#   tools/report/html/page/*.js,css,html --[build_page.py, at build]--> build/page/html_page.cc
#
# Without python3 the build goes on without the page. The command then says why.
option(GECKOPROF_HTML_REPORT "Build the page of report --html (needs python3)" ON)

# The source file of HtmlPage, and why there is no page. The reason is empty if there is one.
function(geckoprof_html_page source_name absence_name)
  set(folder ${PROJECT_SOURCE_DIR}/tools/report/html)
  set(build ${PROJECT_BINARY_DIR}/page)
  set(absence "")
  find_program(GECKOPROF_PYTHON python3)
  if(NOT GECKOPROF_HTML_REPORT)
    set(absence "this geckoprof was built without it (GECKOPROF_HTML_REPORT=OFF)")
  elseif(NOT GECKOPROF_PYTHON)
    set(absence "this geckoprof was built where python3 was missing: install it, and build geckoprof again")
  endif()
  set(${absence_name} "${absence}" PARENT_SCOPE)
  if(absence)
    message(STATUS "geckoprof: report --html is left out: ${absence}")
    set(${source_name} ${folder}/html_page_unsupported.cc PARENT_SCOPE)
    return()
  endif()
  file(MAKE_DIRECTORY ${build})
  file(GLOB inputs CONFIGURE_DEPENDS ${folder}/page/*)
  add_custom_command(OUTPUT ${build}/html_page.cc ${build}/page.html
    COMMAND ${GECKOPROF_PYTHON} ${folder}/build_page.py ${build}
    DEPENDS ${inputs} ${folder}/build_page.py VERBATIM COMMENT "Making the page of report --html")
  set(${source_name} ${build}/html_page.cc PARENT_SCOPE)
endfunction()
