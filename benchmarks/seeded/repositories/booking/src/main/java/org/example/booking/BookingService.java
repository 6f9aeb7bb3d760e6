package org.example.booking;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Takes bookings; may be used by several threads. */
public class BookingService {
    private final List<Booking> bookings = new ArrayList<>();

    /** True when the room was free and is now taken. */
    public synchronized boolean book(Booking wanted) {
        for (Booking booking : bookings) {
            if (booking.overlaps(wanted)) {
                return false;
            }
        }
        bookings.add(wanted);
        return true;
    }

    /** All bookings of a guest. */
    public synchronized List<Booking> of(String guest) {
        return bookings.stream().filter(booking -> booking.guest().equals(guest)).toList();
    }

    /** What a stay costs: nights times the rate, in cents' precision. */
    public BigDecimal price(Booking booking, BigDecimal nightly) {
        long nights = ChronoUnit.DAYS.between(booking.arrival(), booking.departure());
        return nightly.multiply(BigDecimal.valueOf(nights)).setScale(2, RoundingMode.HALF_UP);
    }
}
