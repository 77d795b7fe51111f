include(${CMAKE_CURRENT_LIST_DIR}/nesoTargets.cmake)
