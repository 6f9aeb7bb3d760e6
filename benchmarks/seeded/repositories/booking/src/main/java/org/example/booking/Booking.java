package org.example.booking;

import java.time.LocalDate;
import java.util.Objects;

/** A room for some nights: the day of departure is free for the next guest. */
public record Booking(String room, String guest, LocalDate arrival, LocalDate departure) {
    public Booking {
        Objects.requireNonNull(room);
        Objects.requireNonNull(guest);
        if (!arrival.isBefore(departure)) {
            throw new IllegalArgumentException("the departure must be after the arrival");
        }
    }

    /** Whether both need the room in the same night. */
    public boolean overlaps(Booking other) {
        return room.equals(other.room)
                && arrival.isBefore(other.departure)
                && other.arrival.isBefore(departure);
    }
}
