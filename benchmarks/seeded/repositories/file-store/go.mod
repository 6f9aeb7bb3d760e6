module example.org/file-store

go 1.19
