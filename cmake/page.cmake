# The page that `gpuplan report` writes, compiled into the program: its shell, which web/ builds with Node.js and npm, and
# the planner in it, which is the WebAssembly module of the preset `wasm` where that was built before:
#   cmake --preset wasm && cmake --build --preset wasm --target gpuplan_web_page
# Where one of them is missing its file is empty: the program then writes no page, or a page that answers nothing.
set(GPUPLAN_ENGINE "${PROJECT_SOURCE_DIR}/build/wasm/gpuplan_page.wasm" CACHE FILEPATH "The WebAssembly module for pages")
find_program(GPUPLAN_NODE node)
find_program(GPUPLAN_NPM npm)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/page)

file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.ts ${PROJECT_SOURCE_DIR}/web/*.*)
set(page_shell ${PROJECT_BINARY_DIR}/page/shell.html)
if(page_sources AND GPUPLAN_NODE AND GPUPLAN_NPM)
  add_custom_command(OUTPUT ${page_shell}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page.sh ${page_shell}
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/tools/build_page.sh VERBATIM
    COMMENT "Building the page")
else()
  file(WRITE ${page_shell} "")
endif()

# Looked for again at every build: it may come later.
file(GLOB page_engine CONFIGURE_DEPENDS ${GPUPLAN_ENGINE})
if(NOT page_engine)
  set(page_engine ${PROJECT_BINARY_DIR}/page/no_engine)
  file(WRITE ${page_engine} "")
elseif(GPUPLAN_NODE)
  # A twentieth smaller when it is packed.
  set(page_module ${page_engine})
  set(page_engine ${PROJECT_BINARY_DIR}/page/engine.split)
  set(page_splitter ${PROJECT_SOURCE_DIR}/tools/split_wasm.mjs)
  add_custom_command(OUTPUT ${page_engine} COMMAND ${GPUPLAN_NODE} ${page_splitter} ${page_module} ${page_engine}
    DEPENDS ${page_module} ${page_splitter} VERBATIM COMMENT "Sorting the planner of pages")
endif()
set(GPUPLAN_EMBEDDED_MORE page/shell.html=${page_shell} page/engine.wasm=${page_engine})
