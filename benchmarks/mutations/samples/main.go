package main

import "fmt"

func total(prices []int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum
}

func main() {
	fmt.Println(total([]int{1, 2, 3}))
}
