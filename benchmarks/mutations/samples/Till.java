package shop;

import java.util.ArrayList;
import java.util.List;

public class Till {
    private final List<Integer> sold = new ArrayList<>();

    public void add(int price) {
        sold.add(price);
    }

    public int total() {
        int sum = 0;
        for (int price : sold) {
            sum += price;
        }
        return sum;
    }
}
