#pragma once
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "PorticoCurl needs libcurl 7.87 or later: a lookup under way must not hold up a cancelled request"
#endif

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and Swift calls no variadic C function. One
// function for each C type that an option takes: the type passed must be exactly the one that libcurl reads.

/// Options of type `long`: a Swift Int is a long on every platform that this module is built for.
static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/// Options of type `curl_off_t`, which is 64 bits wide even where a long is not.
static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/// Options of type `char *`; libcurl copies the text, and NULL restores the default.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

/// The pointers that libcurl hands back to callbacks, and the buffer that it writes error texts into.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Lists are not copied: they must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Bytes that libcurl copies; the struct's flag cannot be written from Swift without repeating its value.
static inline CURLcode ccurl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

// Callbacks have a function each, so that the compiler holds a Swift closure to the exact prototype.

static inline CURLcode ccurl_set_write_callback(CURL *easy, curl_write_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
}

static inline CURLcode ccurl_set_header_callback(CURL *easy, curl_write_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
}

static inline CURLcode ccurl_set_read_callback(CURL *easy, curl_read_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
}

static inline CURLcode ccurl_set_seek_callback(CURL *easy, curl_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode ccurl_set_progress_callback(CURL *easy, curl_xferinfo_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

static inline CURLcode ccurl_set_connected_callback(CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

/// Options of a multi handle of type `long`.
static inline CURLMcode ccurl_set_multi_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The macro is a sum of shifted bits, which Swift imports only in some versions.
static inline CURLcode ccurl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_ALL);
}

/// The result of a finished transfer stands in a union beside a pointer; only a message of this kind holds it.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->msg == CURLMSG_DONE ? message->data.result : CURLE_FAILED_INIT;
}

/// The macro is of unsigned type, which Swift imports as another than the callback's result.
static inline size_t ccurl_write_error(void) { return CURL_WRITEFUNC_ERROR; }
static inline size_t ccurl_write_pause(void) { return CURL_WRITEFUNC_PAUSE; }

/// Information of type `long`.
static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
