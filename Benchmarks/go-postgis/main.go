// A Go server for nearby queries with PostGIS: one SQL statement for each request.
//
//	DATABASE_URL=postgres://… ADDR=127.0.0.1:4040 POOL=16 go-postgis
//
// GET /v1/events accepts lat and lon, radius in km, from and to, bbox, within, owner, sort, limit
// and offset, and returns events in Humon's format. GET /v1/events/nearests returns an array.
package main

import (
	"database/sql"
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	_ "github.com/lib/pq"
)

type server struct {
	db         *sql.DB
	statements sync.Map
}

// prepared returns the statement with this text, which the driver prepares once per connection.
func (s *server) prepared(text string) (*sql.Stmt, error) {
	if statement, found := s.statements.Load(text); found {
		return statement.(*sql.Stmt), nil
	}
	statement, err := s.db.Prepare(text)
	if err != nil {
		return nil, err
	}
	if other, found := s.statements.LoadOrStore(text, statement); found {
		statement.Close()
		return other.(*sql.Stmt), nil
	}
	return statement, nil
}

func (s *server) find(query url.Values) ([]event, error) {
	search, err := parse(query)
	if err != nil {
		return nil, err
	}
	statement, err := s.prepared(search.text())
	if err != nil {
		return nil, err
	}
	rows, err := statement.Query(search.values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	events := []event{}
	for rows.Next() {
		e := event{}
		if err := e.scan(rows, search); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, rows.Err()
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/nearests")
	if path != "/v1/events" || r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	events, err := s.find(r.URL.Query())
	if err != nil {
		log.Print(r.URL, ": ", err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var value interface{} = events
	if path == r.URL.Path {
		value = page{Events: events}
	}
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

func main() {
	connections, err := strconv.Atoi(os.Getenv("POOL"))
	if err != nil {
		log.Fatal("POOL must be the number of connections: ", err)
	}
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	log.Fatal(http.ListenAndServe(os.Getenv("ADDR"), &server{db: db}))
}
