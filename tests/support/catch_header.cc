// No code: whoever compiles this has compiled the header that the unit tests share (tests/CMakeLists.txt).
