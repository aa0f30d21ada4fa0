#include "magma_v2.h"
