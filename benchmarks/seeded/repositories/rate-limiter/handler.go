package limiter

import (
	"net"
	"net/http"
)

// Handler lets requests through to next as long as their sender is within the limit, else answers 429.
func Handler(l *Limiter, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			http.Error(w, "unknown sender", http.StatusBadRequest)
			return
		}
		if !l.Allow(host) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
