import HTTP
import Model
import Rules
import Sodium

extension Setting {
    /// The settings for the limits of the HTTP server, the API, the storage and password hashing.
    static let limits: [Setting] = [
        .integer(
            "LIMIT_HEAD_BYTES",
            "The maximum size of a request's head, in bytes.",
            details: "Larger requests get 431.",
            in: 256...1_048_576,
            \.limits.headBytes
        ),
        .integer(
            "LIMIT_HEADER_COUNT",
            "The maximum number of header lines in a request.",
            details: "Requests with more get 431.",
            in: 1...10_000,
            \.limits.headerCount
        ),
        .integer(
            "LIMIT_TARGET_BYTES",
            "The maximum length of a request's target, in bytes.",
            details: "Requests with a longer one get 414.",
            in: 64...1_048_576,
            \.limits.targetBytes
        ),
        .integer(
            "LIMIT_BODY_BYTES",
            "The maximum size of a request's body, in bytes.",
            details: "Requests with a larger one get 413.",
            in: 1...1_073_741_824,
            \.limits.bodyBytes
        ),
        .integer(
            "LIMIT_CHUNK_EXTENSION_BYTES",
            "The maximum size of all chunk extensions of a request, in bytes.",
            details: "Requests with larger ones get 400. No known client sends any.",
            in: 0...1_048_576,
            \.limits.chunkExtensionBytes
        ),
        .integer(
            "LIMIT_JSON_DEPTH",
            "The maximum nesting depth of arrays and objects in a JSON body.",
            details: "Requests with deeper nesting get 400.",
            in: 1...512,
            \.apiLimits.jsonDepth
        ),
        .integer(
            "LIMIT_CONNECTIONS",
            "The maximum number of open connections.",
            details: "Connections beyond it get 503.",
            in: 1...1_000_000,
            \.limits.connections
        ),
        .integer(
            "LIMIT_CONNECTIONS_PER_ADDRESS",
            "The maximum number of open connections from one IP address.",
            details: "Connections beyond it get 503.",
            in: 1...1_000_000,
            \.limits.connectionsPerAddress
        ),
        .integer(
            "LIMIT_REQUEST_MEMORY_MB",
            "The maximum memory for unfinished requests of all connections, in MB.",
            details: "Requests beyond it get 503. One request of the largest size always fits.",
            in: 1...1_000_000,
            \.limits.requestMegabytes
        ),
        .integer(
            "LIMIT_REQUEST_MEMORY_PER_ADDRESS_MB",
            "The maximum memory for unfinished requests from one IP address, in MB.",
            details: """
                Requests beyond it get 503. Behind a trusted proxy, the address is the one in \
                X-Forwarded-For.
                """,
            in: 1...1_000_000,
            \.limits.requestMegabytesPerAddress
        ),
        .integer(
            "LIMIT_RESPONSE_MEMORY_MB",
            "The maximum memory for responses that clients have not read yet, in MB.",
            details: """
                Lists that don't fit wait for TIMEOUT_LIST_MS at most and then get 503. Beyond the \
                limit, the server disconnects the clients that have read nothing for the longest \
                time.
                """,
            in: 1...1_000_000,
            \.limits.responseMegabytes
        ),
        .integer(
            "LIMIT_RESULTS",
            "The maximum number of events or check-ins in one response.",
            in: 1...10_000,
            \.apiLimits.results
        ),
        .integer(
            "LIMIT_WRITER_QUEUE",
            "The maximum number of writes that can wait for the database.",
            details: "Writes beyond it get 503.",
            in: 1...1_000_000,
            \.storageLimits.queuedWrites
        ),
        .integer(
            "LIMIT_HASHING_QUEUE",
            "The maximum number of passwords that can wait to be hashed or checked.",
            details: "Requests beyond it get 503.",
            in: 1...10_000,
            \.hashingLimits.queuedPasswords
        ),
        .integer(
            "LIMIT_SEARCH_ENTRIES",
            "The maximum number of events in memory that one search may compare.",
            details: "Past it, a page of JSON or text ends early and continues on the next page. "
                + "Other formats get 422.",
            in: 1...1_000_000_000,
            \.storageLimits.searchEntries
        ),
        .integer(
            "LIMIT_SEARCH_QUEUE",
            "The maximum number of long searches that can wait.",
            details: "Further searches get 503.",
            in: 1...10_000,
            \.storageLimits.queuedSearches
        ),
        .integer(
            "LIMIT_SEARCH_WORDS",
            "The maximum number of words of one event that q finds.",
            details: "The first words count, in the order name, category, tags, address, "
                + "description.",
            in: 16...2000,
            \.storageLimits.searchWords
        ),
        .integer(
            "LIMIT_EVENT_CACHE_MB",
            "The maximum memory for the contents of all events, in MB.",
            details: "The server keeps the contents in memory if all of them fit; a million take "
                + "about 200 MB. Otherwise it reads those of each page from the database. What "
                + "searches compare takes about 170 MB for a million events, without a limit.",
            in: 0...1_000_000,
            default: "a quarter of the memory of the machine or its control group, at most 400",
            example: "400",
            \.storageLimits.eventCacheMegabytes
        ),
        .integer(
            "LIMIT_REPORTS",
            "The maximum number of open reports.",
            details: "Further reports get 503 until an admin resolves some.",
            in: 1...10_000_000,
            \.storageLimits.openReports
        ),
        .integer(
            "LIMIT_BLOCKS",
            "The maximum number of users that one user can block.",
            details: "Further blocks get 422.",
            in: 1...10_000,
            \.storageLimits.blocks
        ),
        .integer(
            "LIMIT_DEVICES",
            "The maximum number of devices of one user.",
            details:
                "A further sign-in signs out the device that was not used for the longest time.",
            in: 1...1000,
            \.storageLimits.devices
        ),
        timeout(
            "TIMEOUT_HEAD_MS",
            "The maximum time for a request's head to arrive, in ms.",
            details: "Slower requests get 408.",
            \.limits.headMilliseconds
        ),
        timeout(
            "TIMEOUT_BODY_MS",
            "The maximum time for a request's body to arrive, in ms.",
            details: "Slower requests get 408.",
            \.limits.bodyMilliseconds
        ),
        timeout(
            "TIMEOUT_IDLE_MS",
            "The maximum time that a connection can stay open between two requests, in ms.",
            \.limits.idleMilliseconds
        ),
        timeout(
            "TIMEOUT_WRITE_MS",
            "The maximum time for a client to read the next part of a response, in ms.",
            details: "Slower clients are disconnected.",
            \.limits.writeMilliseconds
        ),
        timeout(
            "TIMEOUT_STALL_MS",
            "The time after which a client that reads nothing gives its memory to others, in ms.",
            details: "It is only disconnected if a list needs the memory of its response.",
            \.limits.stallMilliseconds
        ),
        timeout(
            "TIMEOUT_LIST_MS",
            "The maximum time for a list to wait for its turn and for memory, in ms.",
            details: "Its client then gets 503.",
            \.limits.listMilliseconds
        ),
        timeout(
            "TIMEOUT_INDEX_MS",
            "The maximum time for a search to wait while the server loads all events, in ms.",
            details: "Its client then gets 503.",
            \.storageLimits.indexMilliseconds
        ),
        timeout(
            "TIMEOUT_SEND_MS",
            "The time after which a response no longer waits to be sent with others, in ms.",
            details: "Sending responses together saves CPU on a busy server.",
            \.limits.sendMilliseconds
        ),
        timeout(
            "TIMEOUT_SHUTDOWN_MS",
            "The maximum time for in-flight requests to finish when the server stops, in ms.",
            \.limits.shutdownMilliseconds
        ),
        timeout(
            "TIMEOUT_DRAIN_MS",
            "The time for idle connections to send one more request when the server stops, in ms.",
            details: "It ends after TIMEOUT_SHUTDOWN_MS at the latest.",
            \.limits.drainMilliseconds
        ),
        timeout(
            "TIMEOUT_REFUSAL_MS",
            "The delay before the server rejects a client because it is overloaded, in ms.",
            details: "Clients that are rejected immediately tend to retry immediately.",
            \.limits.refusalMilliseconds
        ),
    ]

    private static func timeout(
        _ name: String,
        _ summary: String,
        details: String = "",
        _ property: any WritableKeyPath<Configuration, Int> & Sendable
    ) -> Setting {
        integer(name, summary, details: details, in: 1...3_600_000, property)
    }
}
