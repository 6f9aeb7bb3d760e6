package store

import (
	"errors"
	"strings"
	"testing"
)

func TestNamesThatLeadOutAreRefused(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "..", "../etc/passwd", ".hidden", "a/b"} {
		if err := s.Put(name, strings.NewReader("x")); !errors.Is(err, ErrName) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}
