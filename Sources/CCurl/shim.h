#include <dlfcn.h>
#include <stddef.h>

/* The parts of libcurl (<https://curl.se/libcurl/c/>) that Humon uses. They are declared here, and
   found when keys are to be fetched. All numbers are part of libcurl's stable interface. */

typedef void CURL;

#define HUMON_CURL_ERROR_SIZE 256

/* A request, and what receives its response. */
typedef struct {
    const char *_Nonnull url;
    /* A file with certificates of authorities; null for those of the system. */
    const char *_Nullable authorities;
    long milliseconds;
    /* Called with bytes of the body or a line of the header. Fewer than it got end the request. */
    size_t (*_Nonnull body)(char *_Nullable, size_t one, size_t count, void *_Nullable context);
    size_t (*_Nonnull header)(char *_Nullable, size_t one, size_t count, void *_Nullable context);
    /* Called at least once a second; another value than 0 ends the request. */
    int (*_Nonnull progress)(void *_Nullable context, long long, long long, long long, long long);
    void *_Nullable context;
    /* HUMON_CURL_ERROR_SIZE bytes for the reason of a failure. */
    char *_Nonnull error;
} HumonCurlRequest;

/* The functions of the library. Swift can't call those with variable arguments. */
typedef struct {
    int (*_Nonnull curl_global_init)(long flags);
    CURL *_Nullable (*_Nonnull curl_easy_init)(void);
    void *_Nonnull curl_easy_setopt;
    int (*_Nonnull curl_easy_perform)(CURL *_Nonnull handle);
    void *_Nonnull curl_easy_getinfo;
    void (*_Nonnull curl_easy_cleanup)(CURL *_Nonnull handle);
    const char *_Nonnull (*_Nonnull curl_easy_strerror)(int code);
} HumonLibcurl;

/* Makes a GET request. Blocks until it ends, and returns libcurl's code, or -1 without memory.
   By default, libcurl verifies certificate and name, follows no redirect, and accepts no
   compression, as the request must. */
static inline int humon_curl_get(
    const HumonLibcurl *_Nonnull table, const HumonCurlRequest *_Nonnull request,
    long *_Nonnull status
) {
    int (*set)(CURL *, int, ...) = (int (*)(CURL *, int, ...))table->curl_easy_setopt;
    int (*get)(CURL *, int, ...) = (int (*)(CURL *, int, ...))table->curl_easy_getinfo;
    CURL *handle = table->curl_easy_init();
    if (!handle) return -1;
    int code = set(handle, 10010 /* ERRORBUFFER */, request->error);
    if (!code) code = set(handle, 181 /* PROTOCOLS */, 2L /* HTTPS */);
    if (!code) code = set(handle, 32 /* SSLVERSION */, 6L /* TLS 1.2 or later */);
    if (!code) code = set(handle, 10004 /* PROXY */, "");
    if (!code) code = set(handle, 155 /* TIMEOUT_MS */, request->milliseconds);
    if (!code) code = set(handle, 99 /* NOSIGNAL */, 1L);
    if (!code) code = set(handle, 10002 /* URL */, request->url);
    if (!code && request->authorities) {
        code = set(handle, 10065 /* CAINFO */, request->authorities);
        if (!code) code = set(handle, 10097 /* CAPATH */, NULL);
    }
    if (!code) code = set(handle, 20011 /* WRITEFUNCTION */, request->body);
    if (!code) code = set(handle, 10001 /* WRITEDATA */, request->context);
    if (!code) code = set(handle, 20079 /* HEADERFUNCTION */, request->header);
    if (!code) code = set(handle, 10029 /* HEADERDATA */, request->context);
    if (!code) code = set(handle, 20219 /* XFERINFOFUNCTION */, request->progress);
    if (!code) code = set(handle, 10057 /* XFERINFODATA */, request->context);
    if (!code) code = set(handle, 43 /* NOPROGRESS */, 0L);
    if (!code) code = table->curl_easy_perform(handle);
    if (!code) code = get(handle, 0x200002 /* RESPONSE_CODE */, status);
    table->curl_easy_cleanup(handle);
    return code;
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
    return table->curl_global_init(3) == 0;
}
