#include "../../torchtalk_thrust.h"
