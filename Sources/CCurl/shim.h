#include <dlfcn.h>
#include <stddef.h>
#include <sys/socket.h>

/* The parts of libcurl (<https://curl.se/libcurl/c/>) that Humon uses. They are declared here, and
   found when the first request is to be made. All numbers are part of libcurl's stable interface. */

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
    void *_Nullable (*_Nonnull curl_slist_append)(
        void *_Nullable list, const char *_Nonnull text
    );
    void (*_Nonnull curl_slist_free_all)(void *_Nullable list);
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

/* Returns whether a socket may connect to an address. */
typedef _Bool (*HumonAddressRule)(
    const void *_Nonnull address, unsigned size, void *_Nonnull context
);

/* Returns whether to give a request up. */
typedef _Bool (*HumonStop)(void *_Nonnull context);

/* A POST request, as its callbacks see it. */
typedef struct {
    HumonAddressRule _Nonnull permits;
    HumonStop _Nonnull stops;
    void *_Nonnull context;
    /* The number of bytes of the response that were read. */
    size_t read;
} HumonPost;

/* The address of a socket, as libcurl passes it. */
struct humon_curl_sockaddr {
    int family, type, protocol;
    unsigned size;
    struct sockaddr address;
};

static inline int humon_curl_open(
    void *_Nonnull post, int purpose, struct humon_curl_sockaddr *_Nonnull to
) {
    HumonPost *request = (HumonPost *)post;
    if (!request->permits(&to->address, to->size, request->context)) return -1;
    return socket(to->family, to->type | SOCK_CLOEXEC, to->protocol);
}

static inline size_t humon_curl_drop(
    char *_Nullable piece, size_t one, size_t count, void *_Nonnull post
) {
    HumonPost *request = (HumonPost *)post;
    request->read += count;
    return request->read > 4096 ? 0 : count;
}

static inline int humon_curl_progress(
    void *_Nonnull post, long long a, long long b, long long c, long long d
) {
    HumonPost *request = (HumonPost *)post;
    return request->stops(request->context);
}

/* Makes a POST request, and blocks until it ends. `fields` is a list of curl_slist_append. At most
   4 KiB of the response are read. Returns its status, or a negative error. `retry_after` gets the
   seconds after which the server wants the next request, or 0. */
static inline long humon_curl_post(
    const HumonLibcurl *_Nonnull table, const char *_Nonnull url,
    const char *_Nullable authorities, void *_Nullable fields, const void *_Nullable body,
    long size, _Bool allows_http, long milliseconds, HumonAddressRule _Nonnull permits,
    HumonStop _Nonnull stops, void *_Nonnull context, long long *_Nonnull retry_after
) {
    CURL *handle = table->curl_easy_init();
    if (!handle) return -27 /* OUT_OF_MEMORY */;
    HumonPost post = {permits, stops, context, 0};
    long status = 0;
    int error = 0;
#define HUMON_SET(option, value) \
    if (!error) error = table->curl_easy_setopt(handle, option, value);
    HUMON_SET(181 /* PROTOCOLS */, allows_http ? 3L : 2L /* HTTP and HTTPS, or HTTPS */)
    HUMON_SET(32 /* SSLVERSION */, 6L /* TLS 1.2 or later */)
    HUMON_SET(10004 /* PROXY */, "")
    HUMON_SET(155 /* TIMEOUT_MS */, milliseconds)
    HUMON_SET(99 /* NOSIGNAL */, 1L)
    HUMON_SET(10002 /* URL */, url)
    HUMON_SET(10023 /* HTTPHEADER */, fields)
    HUMON_SET(47 /* POST */, 1L)
    HUMON_SET(60 /* POSTFIELDSIZE */, size)
    HUMON_SET(10015 /* POSTFIELDS */, body)
    HUMON_SET(20011 /* WRITEFUNCTION */, humon_curl_drop)
    HUMON_SET(10001 /* WRITEDATA */, &post)
    HUMON_SET(20163 /* OPENSOCKETFUNCTION */, humon_curl_open)
    HUMON_SET(10164 /* OPENSOCKETDATA */, &post)
    HUMON_SET(20219 /* XFERINFOFUNCTION */, humon_curl_progress)
    HUMON_SET(10057 /* XFERINFODATA */, &post)
    HUMON_SET(43 /* NOPROGRESS */, 0L)
    if (authorities) {
        HUMON_SET(10065 /* CAINFO */, authorities)
        HUMON_SET(10097 /* CAPATH */, NULL)
    }
#undef HUMON_SET
    if (!error) error = table->curl_easy_perform(handle);
    /* The status is known if only the body is too long. */
    if (error == 23 /* WRITE_ERROR */ && post.read > 4096) error = 0;
    if (!error) error = table->curl_easy_getinfo(handle, 0x200002 /* RESPONSE_CODE */, &status);
    if (!error) table->curl_easy_getinfo(handle, 0x600039 /* RETRY_AFTER */, retry_after);
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
    HUMON_FIND(curl_slist_append)
    HUMON_FIND(curl_slist_free_all)
#undef HUMON_FIND
    return table->curl_global_init(3 /* ALL */) == 0;
}
