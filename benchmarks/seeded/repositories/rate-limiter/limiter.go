// Package limiter allows every caller a number of requests in a window of time.
package limiter

import (
	"sync"
	"time"
)

// Limiter counts requests by caller. It may be used by many goroutines at once.
type Limiter struct {
	mu     sync.Mutex
	limit  int
	window time.Duration
	seen   map[string][]time.Time
	now    func() time.Time
}

// New makes a limiter that allows limit requests in each window.
func New(limit int, window time.Duration) *Limiter {
	return &Limiter{limit: limit, window: window, seen: map[string][]time.Time{}, now: time.Now}
}

// Allow says whether the caller may go on, and counts the request if so.
func (l *Limiter) Allow(caller string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	recent := l.seen[caller][:0]
	for _, at := range l.seen[caller] {
		if now.Sub(at) < l.window {
			recent = append(recent, at)
		}
	}
	if len(recent) >= l.limit {
		l.seen[caller] = recent
		return false
	}
	l.seen[caller] = append(recent, now)
	return true
}

// Forget drops callers who sent nothing for a whole window, so that the map does not grow.
func (l *Limiter) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for caller, times := range l.seen {
		if len(times) == 0 || l.now().Sub(times[len(times)-1]) >= l.window {
			delete(l.seen, caller)
		}
	}
}
