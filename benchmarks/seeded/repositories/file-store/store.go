// Package store keeps files under one folder and hands them out by name.
package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrName is returned for a name that leads out of the folder.
var ErrName = errors.New("that is no name of a file")

// ErrSize is returned for a file that is too large.
var ErrSize = errors.New("the file is too large")

// MaxBytes is the size of the largest file that is taken.
const MaxBytes = 10 << 20

// Store is a folder of files.
type Store struct{ root string }

// Open uses a folder, which must exist.
func Open(root string) (*Store, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", root)
	}
	return &Store{root: root}, nil
}

func (s *Store) path(name string) (string, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return "", ErrName
	}
	return filepath.Join(s.root, name), nil
}

// Put writes a file whole or not at all.
func (s *Store) Put(name string, body io.Reader) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(s.root, ".put-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	size, err := io.Copy(file, io.LimitReader(body, MaxBytes+1))
	if err == nil && size > MaxBytes {
		err = ErrSize
	}
	if err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Get opens a file; the caller closes it.
func (s *Store) Get(name string) (*os.File, error) {
	path, err := s.path(name)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
