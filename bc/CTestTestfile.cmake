# CMake generated Testfile for 
# Source directory: /work/wt/fix
# Build directory: /work/wt/fix/bc
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[suites]=] "/work/wt/fix/bc/aicjit-tests")
set_tests_properties([=[suites]=] PROPERTIES  _BACKTRACE_TRIPLES "/work/wt/fix/CMakeLists.txt;225;add_test;/work/wt/fix/CMakeLists.txt;0;")
