#include <dlfcn.h>
#include <stddef.h>

/* The parts of libpq (<https://www.postgresql.org/docs/current/libpq.html>) that Humon uses. They
   are declared here, and found when a PostgreSQL database is opened, so that a server on SQLite
   starts where libpq is not installed. All of it is stable in libpq since version 14. */

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

/* The last one of a list has no keyword. */
typedef struct {
    char *_Nullable keyword;
    char *_Nullable envvar;
    char *_Nullable compiled;
    char *_Nullable val;
    char *_Nullable label;
    char *_Nullable dispchar;
    int dispsize;
} PQconninfoOption;

typedef struct pg_cancel PGcancel;

/* What another connection has sent with NOTIFY. */
typedef struct {
    char *_Nullable relname;
    int be_pid;
    char *_Nullable extra;
    void *_Nullable next;
} PGnotify;

typedef void (*_Nullable HumonNoticeReceiver)(void *_Nullable argument, const PGresult *_Nullable);

#define HUMON_CONNECTION_OK 0
#define HUMON_CONNECTION_BAD 1

#define HUMON_PGRES_EMPTY_QUERY 0
#define HUMON_PGRES_COMMAND_OK 1
#define HUMON_PGRES_TUPLES_OK 2
#define HUMON_PGRES_FATAL_ERROR 7
#define HUMON_PGRES_PIPELINE_SYNC 10
#define HUMON_PGRES_PIPELINE_ABORTED 11

#define HUMON_PGRES_POLLING_FAILED 0
#define HUMON_PGRES_POLLING_READING 1
#define HUMON_PGRES_POLLING_WRITING 2
#define HUMON_PGRES_POLLING_OK 3

#define HUMON_PQTRANS_IDLE 0
#define HUMON_PQTRANS_INTRANS 2
#define HUMON_PQTRANS_INERROR 3

#define HUMON_PQERRORS_VERBOSE 2

/* The functions of the library. */
typedef struct {
    PGconn * _Nullable (*_Nonnull PQconnectdbParams)(
        const char *const _Nullable *_Nonnull keywords,
        const char *const _Nullable *_Nonnull values, int expand
    );
    PGconn * _Nullable (*_Nonnull PQconnectStartParams)(
        const char *const _Nullable *_Nonnull keywords,
        const char *const _Nullable *_Nonnull values, int expand
    );
    int (*_Nonnull PQconnectPoll)(PGconn *_Nonnull connection);
    void (*_Nonnull PQfinish)(PGconn *_Nonnull connection);
    int (*_Nonnull PQstatus)(const PGconn *_Nonnull connection);
    int (*_Nonnull PQtransactionStatus)(const PGconn *_Nonnull connection);
    const char *_Nullable (*_Nonnull PQparameterStatus)(
        const PGconn *_Nonnull connection, const char *_Nonnull name
    );
    char *_Nullable (*_Nonnull PQhost)(const PGconn *_Nonnull connection);
    char *_Nullable (*_Nonnull PQport)(const PGconn *_Nonnull connection);
    int (*_Nonnull PQserverVersion)(const PGconn *_Nonnull connection);
    int (*_Nonnull PQbackendPID)(const PGconn *_Nonnull connection);
    int (*_Nonnull PQsslInUse)(PGconn *_Nonnull connection);
    int (*_Nonnull PQlibVersion)(void);
    char *_Nullable (*_Nonnull PQerrorMessage)(const PGconn *_Nonnull connection);
    int (*_Nonnull PQsocket)(const PGconn *_Nonnull connection);
    int (*_Nonnull PQsetErrorVerbosity)(PGconn *_Nonnull connection, int verbosity);
    HumonNoticeReceiver (*_Nonnull PQsetNoticeReceiver)(
        PGconn *_Nonnull connection, HumonNoticeReceiver receiver, void *_Nullable argument
    );
    int (*_Nonnull PQsetnonblocking)(PGconn *_Nonnull connection, int isNonblocking);
    PQconninfoOption *_Nullable (*_Nonnull PQconninfoParse)(
        const char *_Nonnull text, char *_Nullable *_Nonnull error
    );
    void (*_Nonnull PQconninfoFree)(PQconninfoOption *_Nonnull options);
    void (*_Nonnull PQfreemem)(void *_Nullable memory);
    PGresult *_Nullable (*_Nonnull PQexec)(
        PGconn *_Nonnull connection, const char *_Nonnull script
    );
    int (*_Nonnull PQsendPrepare)(
        PGconn *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull sql,
        int count, const Oid *_Nullable types
    );
    int (*_Nonnull PQsendQueryPrepared)(
        PGconn *_Nonnull connection, const char *_Nonnull name, int count,
        const char *const _Nullable *_Nullable values, const int *_Nullable lengths,
        const int *_Nullable formats, int resultFormat
    );
    int (*_Nonnull PQsendQueryParams)(
        PGconn *_Nonnull connection, const char *_Nonnull sql, int count,
        const Oid *_Nullable types, const char *const _Nullable *_Nullable values,
        const int *_Nullable lengths, const int *_Nullable formats, int resultFormat
    );
    int (*_Nonnull PQenterPipelineMode)(PGconn *_Nonnull connection);
    int (*_Nonnull PQexitPipelineMode)(PGconn *_Nonnull connection);
    int (*_Nonnull PQpipelineSync)(PGconn *_Nonnull connection);
    int (*_Nonnull PQflush)(PGconn *_Nonnull connection);
    int (*_Nonnull PQconsumeInput)(PGconn *_Nonnull connection);
    int (*_Nonnull PQisBusy)(PGconn *_Nonnull connection);
    PGnotify *_Nullable (*_Nonnull PQnotifies)(PGconn *_Nonnull connection);
    PGresult *_Nullable (*_Nonnull PQgetResult)(PGconn *_Nonnull connection);
    PGcancel *_Nullable (*_Nonnull PQgetCancel)(PGconn *_Nonnull connection);
    int (*_Nonnull PQcancel)(PGcancel *_Nonnull request, char *_Nonnull message, int size);
    void (*_Nonnull PQfreeCancel)(PGcancel *_Nonnull request);
    int (*_Nonnull PQresultStatus)(const PGresult *_Nonnull result);
    char *_Nullable (*_Nonnull PQresultErrorField)(const PGresult *_Nonnull result, int field);
    char *_Nullable (*_Nonnull PQcmdStatus)(PGresult *_Nonnull result);
    int (*_Nonnull PQntuples)(const PGresult *_Nonnull result);
    int (*_Nonnull PQnfields)(const PGresult *_Nonnull result);
    Oid (*_Nonnull PQftype)(const PGresult *_Nonnull result, int column);
    char *_Nullable (*_Nonnull PQgetvalue)(const PGresult *_Nonnull result, int row, int column);
    int (*_Nonnull PQgetlength)(const PGresult *_Nonnull result, int row, int column);
    int (*_Nonnull PQgetisnull)(const PGresult *_Nonnull result, int row, int column);
    void (*_Nonnull PQclear)(PGresult *_Nonnull result);
} HumonLibPQ;

/* Loads the library and finds its functions; returns null, or what is missing. */
static inline const char *_Nullable humon_load_libpq(HumonLibPQ *_Nonnull table) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return "libpq.so.5";
#define HUMON_FIND(name) \
    if (!(*(void **)&table->name = dlsym(library, #name))) return #name;
    HUMON_FIND(PQconnectdbParams)
    HUMON_FIND(PQconnectStartParams)
    HUMON_FIND(PQconnectPoll)
    HUMON_FIND(PQfinish)
    HUMON_FIND(PQstatus)
    HUMON_FIND(PQtransactionStatus)
    HUMON_FIND(PQparameterStatus)
    HUMON_FIND(PQhost)
    HUMON_FIND(PQport)
    HUMON_FIND(PQserverVersion)
    HUMON_FIND(PQbackendPID)
    HUMON_FIND(PQsslInUse)
    HUMON_FIND(PQlibVersion)
    HUMON_FIND(PQerrorMessage)
    HUMON_FIND(PQsocket)
    HUMON_FIND(PQsetErrorVerbosity)
    HUMON_FIND(PQsetNoticeReceiver)
    HUMON_FIND(PQsetnonblocking)
    HUMON_FIND(PQconninfoParse)
    HUMON_FIND(PQconninfoFree)
    HUMON_FIND(PQfreemem)
    HUMON_FIND(PQexec)
    HUMON_FIND(PQsendPrepare)
    HUMON_FIND(PQsendQueryPrepared)
    HUMON_FIND(PQsendQueryParams)
    HUMON_FIND(PQenterPipelineMode)
    HUMON_FIND(PQexitPipelineMode)
    HUMON_FIND(PQpipelineSync)
    HUMON_FIND(PQflush)
    HUMON_FIND(PQconsumeInput)
    HUMON_FIND(PQisBusy)
    HUMON_FIND(PQnotifies)
    HUMON_FIND(PQgetResult)
    HUMON_FIND(PQgetCancel)
    HUMON_FIND(PQcancel)
    HUMON_FIND(PQfreeCancel)
    HUMON_FIND(PQresultStatus)
    HUMON_FIND(PQresultErrorField)
    HUMON_FIND(PQcmdStatus)
    HUMON_FIND(PQntuples)
    HUMON_FIND(PQnfields)
    HUMON_FIND(PQftype)
    HUMON_FIND(PQgetvalue)
    HUMON_FIND(PQgetlength)
    HUMON_FIND(PQgetisnull)
    HUMON_FIND(PQclear)
#undef HUMON_FIND
    return NULL;
}
