<?php

function total(array $prices): int
{
    $sum = 0;
    foreach ($prices as $price) {
        $sum += $price;
    }
    return $sum;
}
