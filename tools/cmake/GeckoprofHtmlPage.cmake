# The page of `geckoprof report --html`: the libraries that it uses, fetched by npm, and the bundle, made by esbuild.
#
#   tools/report/html/page/package-lock.json --[npm ci, once a lock, at configure]--> build/page/node_modules
#   tools/report/html/page/*.js,css,html     --[build_page.mjs, at build]-----------> build/page/html_page.cc
#
# Without node, npm or a network the build goes on without the page; the command then says why.
option(GECKOPROF_HTML_REPORT "Build the page of report --html (needs node 18, npm, and a network the first time)" ON)

# The source file of HtmlPage, and why there is no page: empty where there is one.
function(geckoprof_html_page source_name absence_name)
  set(folder ${PROJECT_SOURCE_DIR}/tools/report/html)
  set(build ${PROJECT_BINARY_DIR}/page)
  _geckoprof_page_absence(${folder}/page ${build} absence)
  set(${absence_name} "${absence}" PARENT_SCOPE)
  if(absence)
    message(STATUS "geckoprof: report --html is left out: ${absence}")
    set(${source_name} ${folder}/html_page_unsupported.cc PARENT_SCOPE)
    return()
  endif()
  file(GLOB inputs CONFIGURE_DEPENDS ${folder}/page/*)
  add_custom_command(OUTPUT ${build}/html_page.cc ${build}/page.html
    COMMAND ${GECKOPROF_NODE} ${folder}/page/build_page.mjs ${build}/node_modules ${build}
    DEPENDS ${inputs} ${build}/installed VERBATIM COMMENT "Bundling the page of report --html")
  set(${source_name} ${build}/html_page.cc PARENT_SCOPE)
endfunction()

function(_geckoprof_page_absence folder build out)
  set(again "build geckoprof again")
  set(${out} "" PARENT_SCOPE)
  if(NOT GECKOPROF_HTML_REPORT)
    set(${out} "this geckoprof was built without it (GECKOPROF_HTML_REPORT=OFF)" PARENT_SCOPE)
    return()
  endif()
  find_program(GECKOPROF_NODE NAMES node nodejs)
  find_program(GECKOPROF_NPM npm)
  if(NOT GECKOPROF_NODE OR NOT GECKOPROF_NPM)
    set(${out} "this geckoprof was built where node or npm was missing: install nodejs (18 or later) and npm, and ${again}" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${GECKOPROF_NODE} --version OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(NOT version VERSION_GREATER_EQUAL 18)
    set(${out} "this geckoprof was built with node ${version}: install node 18 or later, and ${again}" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${folder}/package-lock.json lock)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/package-lock.json ${folder}/package.json)
  set(installed "")
  if(EXISTS ${build}/installed)
    file(READ ${build}/installed installed)
  endif()
  if(installed STREQUAL lock)
    return()
  endif()
  file(REMOVE ${build}/installed)
  file(MAKE_DIRECTORY ${build})
  file(COPY ${folder}/package.json ${folder}/package-lock.json DESTINATION ${build})
  message(STATUS "geckoprof: fetching what the page of report --html is made with (npm ci)")
  # Nothing that the packages bring is run while they are installed.
  execute_process(
    COMMAND ${GECKOPROF_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --no-update-notifier
            --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=3000 --fetch-timeout=60000
    WORKING_DIRECTORY ${build} RESULT_VARIABLE result OUTPUT_FILE ${build}/npm.log ERROR_FILE ${build}/npm.log TIMEOUT 300)
  if(NOT result EQUAL 0)
    message(STATUS "geckoprof: npm failed: ${build}/npm.log says how")
    set(${out} "this geckoprof was built where npm could not fetch the page's libraries: with a network, ${again}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${build}/installed ${lock})
endfunction()
