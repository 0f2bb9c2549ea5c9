// A server in Go with the API of the other servers in the benchmarks, on PostgreSQL.
//
//	DATABASE_URL=postgres://… ADDR=127.0.0.1:4040 POOL=16 go-postgresql pq|pgx
//
// pq is database/sql with lib/pq and prepared statements, pgx is pgxpool with its statement cache.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"
	"strconv"
)

var errNotFound = errors.New("no such record")

// A store reads and writes records with one of the drivers.
type store interface {
	event(id int64) (*event, error)
	nearest(place vector, chord float64, limit int) ([]event, error)
	user(token string) (int64, error)
	insert(user int64, e *newEvent) (int64, error)
}

// The queries of both drivers. The index finds the nearest by chords of the unit sphere.
const (
	columns   = "address, ended_at, id, lat, lon, name, started_at, user_id"
	eventByID = "SELECT " + columns + " FROM events WHERE id = $1"
	nearest   = "SELECT " + columns + " FROM events" +
		" WHERE place <@ cube_enlarge(cube(ARRAY[$1, $2, $3]::float8[]), $4::float8, 3)" +
		" ORDER BY place <-> cube(ARRAY[$1, $2, $3]::float8[]) LIMIT $5"
	userByToken = "SELECT id FROM users WHERE auth_token = $1"
	insertEvent = "INSERT INTO events (user_id, name, address, lat, lon, started_at, ended_at)" +
		" VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id"
)

func open(driver, url string, connections int) (store, error) {
	switch driver {
	case "pq":
		return openPQ(url, connections)
	case "pgx":
		return openPGX(url, connections)
	}
	return nil, errors.New("the driver must be pq or pgx, not " + driver)
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go-postgresql pq|pgx")
	}
	connections, err := strconv.Atoi(os.Getenv("POOL"))
	if err != nil {
		log.Fatal("POOL must be the number of connections: ", err)
	}
	s, err := open(os.Args[1], os.Getenv("DATABASE_URL"), connections)
	if err != nil {
		log.Fatal(err)
	}
	a := api{s}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/events/nearests", a.getNearest)
	mux.HandleFunc("/v1/events/", a.getEvent)
	mux.HandleFunc("/v1/events", a.postEvent)
	log.Fatal(http.ListenAndServe(os.Getenv("ADDR"), mux))
}
