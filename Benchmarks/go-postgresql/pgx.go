package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

// Contexts that can be cancelled would cost a goroutine each. statement_timeout limits queries.
var background = context.Background()

type pgxStore struct {
	pool *pgxpool.Pool
}

func openPGX(url string, connections int) (store, error) {
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	settings.MaxConns = int32(connections)
	pool, err := pgxpool.ConnectConfig(background, settings)
	if err != nil {
		return nil, err
	}
	return &pgxStore{pool}, nil
}

func (s *pgxStore) event(id int64) (*event, error) {
	var e event
	err := e.scan(s.pool.QueryRow(background, eventByID, id))
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNotFound
	}
	return &e, err
}

func (s *pgxStore) nearest(place vector, chord float64, limit int) ([]event, error) {
	rows, err := s.pool.Query(background, nearest, place.x, place.y, place.z, chord, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scanEvents(rows)
}

func (s *pgxStore) user(token string) (id int64, err error) {
	err = s.pool.QueryRow(background, userByToken, token).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNotFound
	}
	return id, err
}

func (s *pgxStore) insert(user int64, e *newEvent) (id int64, err error) {
	row := s.pool.QueryRow(background, insertEvent,
		user, e.Name, e.Address, e.Lat, e.Lon, e.StartedAt, e.EndedAt)
	err = row.Scan(&id)
	return id, err
}
