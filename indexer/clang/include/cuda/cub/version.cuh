#include "../torchtalk_cuda.h"
