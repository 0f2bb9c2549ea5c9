package main

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// PostGIS measures on a sphere with the mean radius of WGS 84. Humon's sphere has 6,371 km.
const (
	postgisRadius = 6371008.771415059
	humonRadius   = 6371000.0
)

const columns = "address, ended_at, id, lat, lon, name, started_at, user_id"

// A search is a request as SQL: conditions, their values, and an order.
type search struct {
	conditions []string
	values     []interface{}
	// The SQL expression of the point to measure from, or "" without a point.
	origin   string
	lat, lon float64
	// Whether the response contains distances.
	measures             bool
	order, limit, offset string
}

// bind adds a value and returns its placeholder.
func (s *search) bind(value interface{}) string {
	s.values = append(s.values, value)
	return "$" + strconv.Itoa(len(s.values))
}

func (s *search) add(format string, places ...interface{}) {
	s.conditions = append(s.conditions, fmt.Sprintf(format, places...))
}

func parse(query url.Values) (*search, error) {
	s := &search{order: "started_at, id", measures: true}
	if query.Has("lat") {
		var err error
		if s.lat, err = strconv.ParseFloat(query.Get("lat"), 64); err != nil {
			return nil, err
		}
		if s.lon, err = strconv.ParseFloat(query.Get("lon"), 64); err != nil {
			return nil, err
		}
		s.origin = fmt.Sprintf("ST_SetSRID(ST_MakePoint(%s::float8, %s::float8), 4326)::geography",
			s.bind(s.lon), s.bind(s.lat))
		s.order = "place <-> " + s.origin
	}
	if radius := query.Get("radius"); radius != "" {
		km, err := strconv.ParseFloat(radius, 64)
		if err != nil {
			return nil, err
		}
		meters := km * 1000 * postgisRadius / humonRadius
		s.add("ST_DWithin(place, %s, %s::float8, false)", s.origin, s.bind(meters))
	}
	if from := query.Get("from"); from != "" {
		start := s.bind(from)
		s.add("(ended_at > %s::timestamptz OR started_at >= %s::timestamptz)", start, start)
	}
	if to := query.Get("to"); to != "" {
		s.add("started_at < %s::timestamptz", s.bind(to))
	}
	if owner := query.Get("owner"); owner != "" {
		s.add("user_id = %s::bigint", s.bind(owner))
	}
	if err := s.addPlaces(query); err != nil {
		return nil, err
	}
	if query.Get("sort") == "-id" {
		s.order, s.measures = "id DESC", false
	}
	s.limit, s.offset = "20", "0"
	if limit := query.Get("limit"); limit != "" {
		s.limit = s.bind(limit) + "::bigint"
	}
	if offset := query.Get("offset"); offset != "" {
		s.offset = s.bind(offset) + "::bigint"
	}
	return s, nil
}

// addPlaces adds the conditions of bbox, with straight edges, and within, with great circles.
func (s *search) addPlaces(query url.Values) error {
	if box := query.Get("bbox"); box != "" {
		edges := strings.Split(box, ",")
		if len(edges) != 4 {
			return fmt.Errorf("bbox has %d numbers, not 4", len(edges))
		}
		places := make([]interface{}, 4)
		for index, edge := range edges {
			places[index] = s.bind(edge)
		}
		s.add("ST_Intersects(place::geometry, ST_MakeEnvelope("+
			"%s::float8, %s::float8, %s::float8, %s::float8, 4326))", places...)
	}
	if corners := query.Get("within"); corners != "" {
		numbers := strings.Split(corners, ",")
		if len(numbers)%2 != 0 {
			return fmt.Errorf("within has %d numbers, an odd number", len(numbers))
		}
		text := make([]string, 0, len(numbers)/2+1)
		for index := 0; index < len(numbers); index += 2 {
			text = append(text, numbers[index]+" "+numbers[index+1])
		}
		text = append(text, text[0])
		polygon := "SRID=4326;POLYGON((" + strings.Join(text, ",") + "))"
		s.add("ST_Intersects(place, %s::text::geography)", s.bind(polygon))
	}
	return nil
}

// text returns the statement. Its text is the same for all requests with the same parameters.
func (s *search) text() string {
	var text strings.Builder
	text.WriteString("SELECT " + columns)
	if s.origin != "" && s.measures {
		text.WriteString(", place <-> " + s.origin)
	}
	text.WriteString(" FROM events")
	if len(s.conditions) > 0 {
		text.WriteString(" WHERE " + strings.Join(s.conditions, " AND "))
	}
	text.WriteString(" ORDER BY " + s.order + " LIMIT " + s.limit + " OFFSET " + s.offset)
	return text.String()
}
