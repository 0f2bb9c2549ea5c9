package main

import (
	"math"
	"time"
)

const earthKM = 6371.0

type owner struct {
	ID int64 `json:"id"`
}

type event struct {
	Address   *string    `json:"address"`
	EndedAt   *time.Time `json:"ended_at"`
	ID        int64      `json:"id"`
	Lat       float64    `json:"lat"`
	Lon       float64    `json:"lon"`
	Name      string     `json:"name"`
	StartedAt time.Time  `json:"started_at"`
	Owner     owner      `json:"owner"`
}

func (e *event) scan(row interface{ Scan(...interface{}) error }) error {
	err := row.Scan(
		&e.Address, &e.EndedAt, &e.ID, &e.Lat, &e.Lon, &e.Name, &e.StartedAt, &e.Owner.ID)
	e.StartedAt = e.StartedAt.UTC()
	if e.EndedAt != nil {
		*e.EndedAt = e.EndedAt.UTC()
	}
	return err
}

// The rows of either driver.
type eventRows interface {
	Next() bool
	Scan(...interface{}) error
	Err() error
}

func scanEvents(rows eventRows) ([]event, error) {
	var events []event
	for rows.Next() {
		var e event
		if err := e.scan(rows); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, rows.Err()
}

type newEvent struct {
	Name      *string    `json:"name"`
	Lat       *float64   `json:"lat"`
	Lon       *float64   `json:"lon"`
	StartedAt *time.Time `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Address   *string    `json:"address"`
}

func (n *newEvent) problems() []string {
	var out []string
	if n.Name == nil || *n.Name == "" {
		out = append(out, "name is required")
	}
	if n.Lat == nil || math.Abs(*n.Lat) > 90 {
		out = append(out, "lat is required, -90 to 90")
	}
	if n.Lon == nil || math.Abs(*n.Lon) > 180 {
		out = append(out, "lon is required, -180 to 180")
	}
	if n.StartedAt == nil {
		out = append(out, "started_at is required")
	}
	return out
}

// A vector is a place on the unit sphere.
type vector struct{ x, y, z float64 }

func place(lat, lon float64) vector {
	const rad = math.Pi / 180
	sinLat, cosLat := math.Sincos(lat * rad)
	sinLon, cosLon := math.Sincos(lon * rad)
	return vector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// chord returns the straight distance on the unit sphere of two places that are km apart.
func chord(km float64) float64 {
	return 2 * math.Sin(math.Min(km/earthKM, math.Pi)/2)
}

func haversineKM(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	sinLat := math.Sin((lat2 - lat1) * rad / 2)
	sinLon := math.Sin((lon2 - lon1) * rad / 2)
	a := sinLat*sinLat + math.Cos(lat1*rad)*math.Cos(lat2*rad)*sinLon*sinLon
	return 2 * earthKM * math.Asin(math.Min(1, math.Sqrt(a)))
}

// within removes the events beyond the radius from events that are nearest first.
func within(events []event, lat, lon, radius float64) []event {
	for len(events) > 0 {
		last := &events[len(events)-1]
		if haversineKM(lat, lon, last.Lat, last.Lon) <= radius {
			break
		}
		events = events[:len(events)-1]
	}
	return events
}
