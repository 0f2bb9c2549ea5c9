package main

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"strconv"
	"strings"
)

const mostResults = 1000

type api struct{ store store }

type message struct {
	Message string   `json:"message"`
	Errors  []string `json:"errors,omitempty"`
}

func reply(w http.ResponseWriter, status int, value interface{}) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func notFound(w http.ResponseWriter) {
	reply(w, http.StatusNotFound, message{Message: "Not Found"})
}

func invalid(w http.ResponseWriter, problems ...string) {
	reply(w, http.StatusUnprocessableEntity, message{"Validation Failed", problems})
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	reply(w, http.StatusInternalServerError, message{Message: "Internal Server Error"})
}

func (a api) getEvent(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/v1/events/"), 10, 64)
	if err != nil || r.Method != http.MethodGet {
		notFound(w)
		return
	}
	switch e, err := a.store.event(id); {
	case errors.Is(err, errNotFound):
		notFound(w)
	case err != nil:
		fail(w, err)
	default:
		reply(w, http.StatusOK, e)
	}
}

func (a api) getNearest(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var problems []string
	number := func(name string, min, max float64) float64 {
		v, err := strconv.ParseFloat(query.Get(name), 64)
		if err != nil || !(v >= min && v <= max) {
			problems = append(problems, name+" is required")
		}
		return v
	}
	lat, lon, radius := number("lat", -90, 90), number("lon", -180, 180), number("radius", 0, 20040)
	limit := mostResults
	if query.Has("limit") {
		limit = int(number("limit", 1, mostResults))
	}
	if problems != nil {
		invalid(w, problems...)
		return
	}
	// A little more than the radius, because the box must not be smaller by rounding.
	events, err := a.store.nearest(place(lat, lon), chord(radius)+1e-9, limit)
	if err != nil {
		fail(w, err)
		return
	}
	if events = within(events, lat, lon, radius); len(events) == 0 {
		reply(w, http.StatusOK, message{Message: "No Events Found"})
		return
	}
	reply(w, http.StatusOK, events)
}

func (a api) postEvent(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		notFound(w)
		return
	}
	user, err := a.store.user(r.Header.Get("tb-auth-token"))
	switch {
	case errors.Is(err, errNotFound):
		reply(w, http.StatusUnauthorized, message{Message: "Unauthorized"})
		return
	case err != nil:
		fail(w, err)
		return
	}
	var n newEvent
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&n); err != nil {
		invalid(w, "body is not a valid event")
		return
	}
	if problems := n.problems(); problems != nil {
		invalid(w, problems...)
		return
	}
	id, err := a.store.insert(user, &n)
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusCreated, owner{id})
}
