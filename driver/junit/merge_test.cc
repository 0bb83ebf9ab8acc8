#include "junit/merge.h"
