#include "junit/complete.h"
