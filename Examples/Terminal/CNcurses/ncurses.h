#pragma once
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <stdio.h>
#include <wchar.h>
#include <ncursesw/curses.h>

// What is a macro over bits, or a variable that another thread may change, is a function here.
static inline attr_t screen_bold(void) { return A_BOLD; }
static inline attr_t screen_dim(void) { return A_DIM; }
static inline attr_t screen_reverse(void) { return A_REVERSE; }
static inline SCREEN *screen_open(void) { return newterm(NULL, stdout, stdin); }

// wchar.h hides it where it was read before without _XOPEN_SOURCE.
extern int wcwidth(wchar_t);
static inline int screen_columns(wchar_t character) { return wcwidth(character); }
static inline void screen_escape_delay(int milliseconds) { set_escdelay(milliseconds); }
