#include "libkineto.h"
