// Opens streams of changes, creates events, and measures how long they take to reach all streams.
//
//     streams PORT TOKEN STREAMS GROUPS EVENTS_PER_S SECONDS NEAREST_PER_S READS(0|1)
//
// Streams are spread over GROUPS regions, and events are created in them in turn. The time of an
// event begins when the response to its POST arrives, and ends when its block has reached the last
// stream of its region. Nearest searches run beside it, on 16 connections. It prints one line.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STREAM, WRITER, SEARCHER };
enum { TAIL = 24, WRITERS = 4, SEARCHERS = 16 };

struct client {
    int kind, descriptor, group, isBusy, tailLength, isReady;
    long event;
    double began;
    char tail[TAIL];
};

struct event {
    double began, last;
    int rest;
};

static int port, streamCount, groupCount, reads;
static const char *token;
static struct client *clients;
static struct event *events;
static long eventCount, messageCount;
static double *searches;
static long searchCount, mostSearches, readyCount;
static char buffer[1 << 20];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *text) {
    perror(text);
    exit(1);
}

static double latitudeOf(int group) { return -60 + group / 400 * 0.5; }
static double longitudeOf(int group) { return -179 + group % 400 * 0.5; }

static int connectTo(int number) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) fail("socket");
    struct sockaddr_in address = {.sin_family = AF_INET};
    // An address has at most 28,000 ports for its connections.
    address.sin_addr.s_addr = htonl(0x7F000002 + number / 20000);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address)) fail("bind");
    address.sin_addr.s_addr = htonl(0x7F000001);
    address.sin_port = htons(port);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("connect");
    int yes = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return descriptor;
}

static void sendText(struct client *client, const char *text, int length) {
    if (send(client->descriptor, text, length, MSG_NOSIGNAL) != length) fail("send");
}

static void beginStream(struct client *client) {
    int length = sprintf(
        buffer,
        "GET /v1/changes/stream?since=now&lat=%.1f&lon=%.1f&radius=10 HTTP/1.1\r\nHost: a\r\n\r\n",
        latitudeOf(client->group), longitudeOf(client->group)
    );
    sendText(client, buffer, length);
}

static void createEvent(struct client *client, long number) {
    char body[400];
    int group = number % groupCount;
    int bodyLength = sprintf(
        body,
        "{\"name\":\"e%07ld\",\"address\":\"85 2nd Street, San Francisco\",\"lat\":%.2f,"
        "\"lon\":%.2f,\"started_at\":\"2036-06-01T18:00:00Z\",\"ended_at\":"
        "\"2036-06-01T19:00:00Z\"}",
        number, latitudeOf(group), longitudeOf(group)
    );
    int length = sprintf(
        buffer,
        "POST /v1/events HTTP/1.1\r\nHost: a\r\ntb-device-token: %s\r\nContent-Type: "
        "application/json\r\nContent-Length: %d\r\n\r\n%s",
        token, bodyLength, body
    );
    client->event = number;
    client->isBusy = 1;
    events[number].rest = streamCount / groupCount;
    sendText(client, buffer, length);
}

static void search(struct client *client, double time) {
    int group = rand() % groupCount;
    int length = sprintf(
        buffer,
        "GET /v1/events/nearests?lat=%.2f&lon=%.2f&radius=1 HTTP/1.1\r\nHost: a\r\n\r\n",
        latitudeOf(group) + 0.02, longitudeOf(group)
    );
    client->isBusy = 1;
    client->began = time;
    sendText(client, buffer, length);
}

static void readBlocks(struct client *client, char *text, long length, double time) {
    if (!client->isReady && memmem(text, length, "event: ready", 12)) {
        client->isReady = 1;
        readyCount++;
    }
    char *rest = text, *end = text + length;
    while ((rest = memmem(rest, end - rest, "\"name\":\"e", 9))) {
        if (end - rest < 17) break;
        long number = strtol(rest + 9, NULL, 10);
        rest += 17;
        messageCount++;
        if (number >= 0 && number < eventCount) {
            events[number].rest--;
            events[number].last = time;
        }
    }
}

static void receive(struct client *client) {
    memcpy(buffer, client->tail, client->tailLength);
    long count = recv(
        client->descriptor, buffer + client->tailLength, sizeof buffer - TAIL - 1, MSG_DONTWAIT
    );
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("the server closed a connection");
    double time = now();
    if (client->kind == STREAM) {
        long length = client->tailLength + count;
        buffer[length] = 0;
        readBlocks(client, buffer, length, time);
        // A name that is cut is found with the next bytes, and one that is not isn't found twice.
        char *last = memrchr(buffer, '"', length);
        long keep = last && buffer + length - last < 10 ? buffer + length - last + 7 : 8;
        if (keep > 16) keep = 16;
        client->tailLength = keep < length ? keep : length;
        memcpy(client->tail, buffer + length - client->tailLength, client->tailLength);
        return;
    }
    // Responses are short, and arrive at once.
    if (strncmp(buffer, "HTTP/1.1 200", 12)) {
        buffer[count] = 0;
        fprintf(stderr, "%s\n", buffer);
        exit(1);
    }
    client->isBusy = 0;
    if (client->kind == WRITER) events[client->event].began = time;
    if (client->kind == SEARCHER && searchCount < mostSearches)
        searches[searchCount++] = time - client->began;
}

static int compare(const void *one, const void *other) {
    double difference = *(double *)one - *(double *)other;
    return difference < 0 ? -1 : difference > 0;
}

static double percentile(double *values, long count, double share) {
    if (!count) return 0;
    qsort(values, count, sizeof *values, compare);
    return values[(long)(share * (count - 1))];
}

int main(int argc, char **argv) {
    if (argc != 9) return fprintf(stderr, "see the first lines of streams.c\n"), 64;
    port = atoi(argv[1]);
    token = argv[2];
    streamCount = atoi(argv[3]);
    groupCount = atoi(argv[4]);
    double rate = atof(argv[5]), seconds = atof(argv[6]), searchRate = atof(argv[7]);
    reads = atoi(argv[8]);
    int total = streamCount + WRITERS + SEARCHERS;
    struct rlimit limit = {total + 100, total + 100};
    setrlimit(RLIMIT_NOFILE, &limit);
    clients = calloc(total, sizeof *clients);
    eventCount = rate * seconds + 1;
    events = calloc(eventCount, sizeof *events);
    mostSearches = searchRate * seconds * 2 + 1;
    searches = calloc(mostSearches, sizeof *searches);
    int poll = epoll_create1(0);
    struct epoll_event *ready = calloc(4096, sizeof *ready);
    for (int number = 0; number < total; number++) {
        struct client *client = clients + number;
        client->kind = number < streamCount ? STREAM
            : number < streamCount + WRITERS ? WRITER : SEARCHER;
        client->group = number % groupCount;
        client->descriptor = connectTo(number);
        if (client->kind == STREAM) beginStream(client);
        if (client->kind == STREAM && !reads) continue;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, client->descriptor, &event)) fail("epoll_ctl");
    }
    struct client *writers = clients + streamCount, *searchers = writers + WRITERS;
    double begin = 0, end = now() + 60e3;
    long written = 0, searched = 0;
    // Lets the server settle first.
    double settled = 0;
    while (now() < end) {
        int count = epoll_wait(poll, ready, 4096, 1);
        for (int index = 0; index < count; index++) receive(ready[index].data.ptr);
        double time = now();
        if (!begin) {
            if ((!reads || readyCount == streamCount) && !settled) settled = time + 500;
            if (!settled || time < settled) continue;
            begin = time;
            messageCount = 0;
            end = begin + seconds * 1e3 + 500;
            fprintf(stderr, "began\n");
        }
        double elapsed = time - begin;
        if (elapsed > seconds * 1e3) continue;
        while (written < eventCount - 1 && written < elapsed * rate / 1e3) {
            int free = 0;
            while (free < WRITERS && writers[free].isBusy) free++;
            if (free == WRITERS) break;
            createEvent(writers + free, written++);
        }
        while (searched < elapsed * searchRate / 1e3) {
            int free = 0;
            while (free < SEARCHERS && searchers[free].isBusy) free++;
            if (free == SEARCHERS) break;
            search(searchers + free, time);
            searched++;
        }
    }
    double *delays = calloc(eventCount, sizeof *delays);
    long complete = 0, missing = 0;
    for (long number = 0; number < written; number++) {
        if (events[number].rest) {
            missing += events[number].rest;
            continue;
        }
        double delay = events[number].last - events[number].began;
        delays[complete++] = delay > 0 ? delay : 0;
    }
    printf(
        "{\"events\":%ld,\"messages\":%ld,\"missing\":%ld,\"p50\":%.2f,\"p95\":%.2f,\"p99\":%.2f,"
        "\"max\":%.2f,\"searches\":%ld,\"search_p50\":%.2f,\"search_p95\":%.2f,"
        "\"search_p99\":%.2f}\n",
        written, messageCount, missing, percentile(delays, complete, 0.5),
        percentile(delays, complete, 0.95), percentile(delays, complete, 0.99),
        percentile(delays, complete, 1), searchCount, percentile(searches, searchCount, 0.5),
        percentile(searches, searchCount, 0.95), percentile(searches, searchCount, 0.99)
    );
    return 0;
}
