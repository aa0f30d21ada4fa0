#include "bitcasts.h"
