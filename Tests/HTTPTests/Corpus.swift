/// Texts that a parser is fed in pieces of every size.
enum Corpus {
    /// Connections on which everything is a request.
    static let valid = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET /v1/events/1?x=%20&y HTTP/1.1\r\nHost: a:80\r\nAccept:  */* \t\r\nX:\r\n\r\n",
        "GET http://b.example/p?q HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHOST: [::1]:3000\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello\r\nworl",
        "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
        """
        POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r
        5;a="b"\r\nhello\r\n00d\r\n, \u{fc} world!\r\n\r\n0\r\nX-Trailer: 1\r\nY:\r\n\r\n
        """,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
        """
        GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r
        hi\r\nPUT /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r
        2\r\nhi\r\n0\r\n\r\nDELETE /4 HTTP/1.1\r\nHost: a\r\n\r\n
        """,
    ]

    /// Connections that end in an error, some behind a good request.
    static let invalid = [
        "GET /\r\n", "\r\n\r\nGET / HTTP/1.1\r\n", "\n", "GET\u{0} / HTTP/1.1\r\n",
        " GET / HTTP/1.1",
        "GET / HTTP/2.0\r\n", "GET / http/1.1\r\n", "GET /\u{e9} HTTP/1.1\r\n", "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\rX", "GET / HTTP/1.1 \r\n", "CONNECT a:1 HTTP/1.1\r\n",
        "GET * HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\n X: 1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n", "GET / HTTP/1.1\r\n: a\r\n", "GET / HTTP/1.1\r\nA\r\n",
        "GET / HTTP/1.1\r\nA: \u{1}\r\n", "GET / HTTP/1.1\r\nA: b\n", "GET / HTTP/1.1\r\nA: b\rC",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\rX",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA b: c\r\n\r\n",
    ]
}
