#pragma once
// libpng's header reads the C library's, so it comes after them.
#include <stddef.h>
#include <stdio.h>
#include <png.h>
#include <turbojpeg.h>
#include <zbar.h>
