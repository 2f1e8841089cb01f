#pragma once
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <wchar.h>
#include <ncursesw/curses.h>

// What is a macro over bits, or a variable that another thread may change, is a function here.
static inline attr_t screen_bold(void) { return A_BOLD; }
static inline attr_t screen_dim(void) { return A_DIM; }
static inline attr_t screen_reverse(void) { return A_REVERSE; }
static inline void screen_escape_delay(int milliseconds) { set_escdelay(milliseconds); }
