package main

import (
	"database/sql"
	"math"
	"time"
)

type page struct {
	Events []event `json:"events"`
	Next   *string `json:"next"`
}

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
	Distance  *float64   `json:"distance,omitempty"`
	Bearing   *float64   `json:"bearing,omitempty"`
}

func (e *event) scan(rows *sql.Rows, s *search) error {
	var meters float64
	fields := []interface{}{
		&e.Address, &e.EndedAt, &e.ID, &e.Lat, &e.Lon, &e.Name, &e.StartedAt, &e.Owner.ID,
	}
	if s.origin != "" && s.measures {
		fields = append(fields, &meters)
	}
	if err := rows.Scan(fields...); err != nil {
		return err
	}
	e.StartedAt = e.StartedAt.UTC()
	if e.EndedAt != nil {
		*e.EndedAt = e.EndedAt.UTC()
	}
	if s.origin != "" && s.measures {
		kilometers := math.Round(meters*humonRadius/postgisRadius*1000) / 1e6
		degrees := bearing(s.lat, s.lon, e.Lat, e.Lon)
		e.Distance, e.Bearing = &kilometers, &degrees
	}
	return nil
}

// bearing returns the initial bearing from the first place to the second, in tenths of a degree.
func bearing(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	sin1, cos1 := math.Sincos(lat1 * rad)
	sin2, cos2 := math.Sincos(lat2 * rad)
	sin, cos := math.Sincos((lon2 - lon1) * rad)
	degrees := math.Atan2(sin*cos2, cos1*sin2-sin1*cos2*cos) / rad
	return math.Mod(math.Round((degrees+360)*10)/10, 360)
}
