package store

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

// Serve answers GET and PUT of /files/NAME: 200 and 201, 400 for a bad name, 404, 405, 413.
func Serve(s *Store) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/files/")
		switch r.Method {
		case http.MethodGet:
			get(s, w, name)
		case http.MethodPut:
			if err := s.Put(name, r.Body); err != nil {
				fail(w, err)
				return
			}
			w.WriteHeader(http.StatusCreated)
		default:
			http.Error(w, "only GET and PUT", http.StatusMethodNotAllowed)
		}
	})
}

func get(s *Store, w http.ResponseWriter, name string) {
	file, err := s.Get(name)
	if err != nil {
		fail(w, err)
		return
	}
	defer file.Close()
	if _, err := io.Copy(w, file); err != nil {
		log.Printf("sending %q: %v", name, err)
	}
}

func fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, ErrName):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case errors.Is(err, ErrSize):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrNotExist):
		http.Error(w, "no such file", http.StatusNotFound)
	default:
		log.Print(err)
		http.Error(w, "something went wrong", http.StatusInternalServerError)
	}
}
