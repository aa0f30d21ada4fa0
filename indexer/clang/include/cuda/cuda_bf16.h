#include <torchtalk_half.h>
