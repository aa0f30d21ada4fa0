#include "fp16/bitcasts.h"
