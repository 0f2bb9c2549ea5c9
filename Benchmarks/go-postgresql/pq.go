package main

import (
	"database/sql"
	"errors"

	_ "github.com/lib/pq"
)

// Contexts are not passed to queries: each would cost a goroutine. statement_timeout limits them.
type pqStore struct {
	eventByID, nearestEvents, userByToken, insertEvent *sql.Stmt
}

func openPQ(url string, connections int) (store, error) {
	db, err := sql.Open("postgres", url)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	s := &pqStore{}
	for query, statement := range map[string]**sql.Stmt{
		eventByID: &s.eventByID, nearest: &s.nearestEvents,
		userByToken: &s.userByToken, insertEvent: &s.insertEvent,
	} {
		if *statement, err = db.Prepare(query); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *pqStore) event(id int64) (*event, error) {
	var e event
	err := e.scan(s.eventByID.QueryRow(id))
	if errors.Is(err, sql.ErrNoRows) {
		err = errNotFound
	}
	return &e, err
}

func (s *pqStore) nearest(place vector, chord float64, limit int) ([]event, error) {
	rows, err := s.nearestEvents.Query(place.x, place.y, place.z, chord, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scanEvents(rows)
}

func (s *pqStore) user(token string) (id int64, err error) {
	err = s.userByToken.QueryRow(token).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = errNotFound
	}
	return id, err
}

func (s *pqStore) insert(user int64, e *newEvent) (id int64, err error) {
	row := s.insertEvent.QueryRow(user, e.Name, e.Address, e.Lat, e.Lon, e.StartedAt, e.EndedAt)
	err = row.Scan(&id)
	return id, err
}
