#include <torchtalk_libraries.h>
