// Command proxy puts the limiter before another server.
package main

import (
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"

	limiter "example.org/rate-limiter"
)

func main() {
	target, err := url.Parse(os.Getenv("TARGET"))
	if err != nil {
		log.Fatalf("TARGET: %v", err)
	}
	limit := limiter.New(100, time.Minute)
	go func() {
		for range time.Tick(time.Minute) {
			limit.Forget()
		}
	}()
	server := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           limiter.Handler(limit, httputil.NewSingleHostReverseProxy(target)),
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
