#include <dlfcn.h>
#include <stddef.h>

/* The parts of libcurl (<https://curl.se/libcurl/c/>) that Humon uses. They are declared here, and
   found when keys are to be fetched. All numbers are part of libcurl's stable interface. */

typedef void CURL;

/* The functions of the library. Swift can't call those with variable arguments. */
typedef struct {
    int (*_Nonnull curl_global_init)(long flags);
    CURL *_Nullable (*_Nonnull curl_easy_init)(void);
    int (*_Nonnull curl_easy_setopt)(CURL *_Nonnull handle, int option, ...);
    int (*_Nonnull curl_easy_perform)(CURL *_Nonnull handle);
    int (*_Nonnull curl_easy_getinfo)(CURL *_Nonnull handle, int property, ...);
    void (*_Nonnull curl_easy_cleanup)(CURL *_Nonnull handle);
    const char *_Nonnull (*_Nonnull curl_easy_strerror)(int code);
} HumonLibcurl;

/* Gets a piece of the body. Another result than `count` ends the request. */
typedef size_t (*HumonWriter)(
    char *_Nullable piece, size_t one, size_t count, void *_Nullable context
);

/* Makes a GET request by HTTPS, and blocks until it ends. `authorities` is a file with certificates,
   or null for those of the system. Returns the status of the response, or a negative error.
   By default, libcurl verifies certificate and name, and neither follows redirects nor accepts
   compression. */
static inline long humon_curl_get(
    const HumonLibcurl *_Nonnull table, const char *_Nonnull url,
    const char *_Nullable authorities, long milliseconds, HumonWriter _Nonnull write,
    void *_Nonnull context
) {
    CURL *handle = table->curl_easy_init();
    if (!handle) return -27 /* OUT_OF_MEMORY */;
    long status = 0;
    int error = 0;
#define HUMON_SET(option, value) \
    if (!error) error = table->curl_easy_setopt(handle, option, value);
    HUMON_SET(181 /* PROTOCOLS */, 2L /* HTTPS */)
    HUMON_SET(32 /* SSLVERSION */, 6L /* TLS 1.2 or later */)
    HUMON_SET(10004 /* PROXY */, "")
    HUMON_SET(155 /* TIMEOUT_MS */, milliseconds)
    HUMON_SET(99 /* NOSIGNAL */, 1L)
    HUMON_SET(10002 /* URL */, url)
    HUMON_SET(20011 /* WRITEFUNCTION */, write)
    HUMON_SET(10001 /* WRITEDATA */, context)
    if (authorities) {
        HUMON_SET(10065 /* CAINFO */, authorities)
        HUMON_SET(10097 /* CAPATH */, NULL)
    }
#undef HUMON_SET
    if (!error) error = table->curl_easy_perform(handle);
    if (!error) error = table->curl_easy_getinfo(handle, 0x200002 /* RESPONSE_CODE */, &status);
    table->curl_easy_cleanup(handle);
    return error ? -error : status;
}

/* Loads the library and finds its functions; returns whether all of them exist. */
static inline _Bool humon_load_libcurl(HumonLibcurl *_Nonnull table) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define HUMON_FIND(name) \
    if (!(*(void **)&table->name = dlsym(library, #name))) return 0;
    HUMON_FIND(curl_global_init)
    HUMON_FIND(curl_easy_init)
    HUMON_FIND(curl_easy_setopt)
    HUMON_FIND(curl_easy_perform)
    HUMON_FIND(curl_easy_getinfo)
    HUMON_FIND(curl_easy_cleanup)
    HUMON_FIND(curl_easy_strerror)
#undef HUMON_FIND
    return table->curl_global_init(3 /* ALL */) == 0;
}
