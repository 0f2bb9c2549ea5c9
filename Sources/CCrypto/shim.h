#include <dlfcn.h>
#include <stddef.h>

/* The parts of libcrypto (<https://docs.openssl.org/3.0/man7/evp/>) that Humon uses. They are
   declared here, and found when sign-in is configured. */

typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;

/* The functions of the library. */
typedef struct {
    EVP_PKEY *_Nullable (*_Nonnull d2i_PUBKEY)(
        EVP_PKEY **_Nullable reused, const unsigned char *_Nullable *_Nonnull der, long count
    );
    void (*_Nonnull EVP_PKEY_free)(EVP_PKEY *_Nonnull key);
    EVP_MD_CTX *_Nullable (*_Nonnull EVP_MD_CTX_new)(void);
    void (*_Nonnull EVP_MD_CTX_free)(EVP_MD_CTX *_Nullable context);
    int (*_Nonnull EVP_DigestVerifyInit)(
        EVP_MD_CTX *_Nonnull context, void **_Nullable parameters, const EVP_MD *_Nonnull digest,
        void *_Nullable engine, EVP_PKEY *_Nonnull key
    );
    int (*_Nonnull EVP_DigestVerify)(
        EVP_MD_CTX *_Nonnull context, const unsigned char *_Nullable signature, size_t count,
        const unsigned char *_Nullable text, size_t textCount
    );
    const EVP_MD *_Nonnull (*_Nonnull EVP_sha256)(void);
    void (*_Nonnull ERR_clear_error)(void);
    unsigned int (*_Nonnull OPENSSL_version_major)(void);
} HumonLibcrypto;

/* Loads the library and finds its functions; returns whether all of them exist. */
static inline _Bool humon_load_libcrypto(HumonLibcrypto *_Nonnull table) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define HUMON_FIND(name) \
    if (!(*(void **)&table->name = dlsym(library, #name))) return 0;
    HUMON_FIND(d2i_PUBKEY)
    HUMON_FIND(EVP_PKEY_free)
    HUMON_FIND(EVP_MD_CTX_new)
    HUMON_FIND(EVP_MD_CTX_free)
    HUMON_FIND(EVP_DigestVerifyInit)
    HUMON_FIND(EVP_DigestVerify)
    HUMON_FIND(EVP_sha256)
    HUMON_FIND(ERR_clear_error)
    HUMON_FIND(OPENSSL_version_major)
#undef HUMON_FIND
    return table->OPENSSL_version_major() == 3;
}
