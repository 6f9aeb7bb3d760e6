#include <stdio.h>

static int total(const int *prices, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += prices[i];
    }
    return sum;
}

int main(void) {
    int prices[] = {1, 2, 3};
    printf("%d\n", total(prices, 3));
    return 0;
}
