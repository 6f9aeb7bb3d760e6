module example.org/rate-limiter

go 1.19
