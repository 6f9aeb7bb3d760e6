package org.example.booking;

import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Keeps bookings in a database. */
public class BookingRepository {
    private final DataSource source;

    public BookingRepository(DataSource source) {
        this.source = source;
    }

    /** All bookings of a guest, the earliest first. */
    public List<Booking> findByGuest(String guest) throws SQLException {
        String sql = "SELECT room, guest, arrival, departure FROM bookings WHERE guest = ? ORDER BY arrival";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, guest);
            List<Booking> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(read(rows));
                }
            }
            return found;
        }
    }

    private static Booking read(ResultSet rows) throws SQLException {
        LocalDate arrival = rows.getObject("arrival", Date.class).toLocalDate();
        LocalDate departure = rows.getObject("departure", Date.class).toLocalDate();
        return new Booking(rows.getString("room"), rows.getString("guest"), arrival, departure);
    }
}
