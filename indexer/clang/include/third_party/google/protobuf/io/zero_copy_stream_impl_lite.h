#include "../message.h"
