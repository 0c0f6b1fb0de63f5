set encoding utf8
set terminal pngcairo noenhanced size 3720,1780 font 'DejaVu Sans,11' fontscale 2 linewidth 2 pointscale 2 background '#ffffff'
set multiplot layout 2,3 title 'Benchmark: transformer on cpu' font 'DejaVu Sans Bold,14' offset 0,-0.3
set border 3 linecolor rgb '#8a9099' linewidth 1
set tics nomirror scale 0.5 textcolor rgb '#3c4149'
set mxtics default
set grid ytics linetype 1 linecolor rgb '#e4e7eb' linewidth 1
set key bmargin center horizontal Left reverse samplen 1.4 width 1.5 height 1 textcolor rgb '#3c4149'
set rmargin 2.5
set style fill solid 0.92 noborder
$points_0_0 << END
128 38.4384 39.0144 "38.4"
256 76.8768 78.0288 "76.9"
512 153.7536 156.0576 "154"
1024 307.5072 312.1152 "308"
END
$intervals_0_0 << END
128 37.8624 1.152
256 75.7248 2.304
512 151.4496 4.608
1024 302.8992 9.216
END
$points_0_1 << END
128 115.3152 117.0432 "115"
256 230.6304 234.0864 "231"
512 461.2608 468.1728 "461"
1024 922.5216 936.3456 "923"
END
$intervals_0_1 << END
128 113.5872 3.456
256 227.1744 6.912
512 454.3488 13.824
1024 908.6976 27.648
END
set title 'Time, forward' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Context' offset 0,0.2
set ylabel 'Median time (ms)'
unset logscale
set logscale x 2
set logscale y 10
set xtics norotate ('128' 128, '256' 256, '512' 512, '1024' 1024)
set xrange [*:*]
set offsets graph 0.04, graph 0.04, 0, 0
set yrange [29.1249231:1217.24928]
set ytics ('50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
plot $points_0_0 using 1:2 with linespoints linecolor rgb '#0072B2' linewidth 2 pointtype 7 pointsize 0.8 dashtype 1 title 'small', \
  $intervals_0_0 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#0072B2' linewidth 1.2 notitle, \
  $points_0_1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 pointtype 5 pointsize 0.8 dashtype 1 title 'medium', \
  $intervals_0_1 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#D55E00' linewidth 1.2 notitle
$points_1_0 << END
128 76.8768 78.0288 "76.9"
256 153.7536 156.0576 "154"
512 307.5072 312.1152 "308"
1024 615.0144 624.2304 "615"
END
$intervals_1_0 << END
128 75.7248 2.304
256 151.4496 4.608
512 302.8992 9.216
1024 605.7984 18.432
END
$points_1_1 << END
128 230.6304 234.0864 "231"
256 461.2608 468.1728 "461"
512 922.5216 936.3456 "923"
1024 1845.0432 1872.6912 "1845"
END
$intervals_1_1 << END
128 227.1744 6.912
256 454.3488 13.824
512 908.6976 27.648
1024 1817.3952 55.296
END
set title 'Time, backward' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Context' offset 0,0.2
set ylabel 'Median time (ms)'
unset logscale
set logscale x 2
set logscale y 10
set xtics norotate ('128' 128, '256' 256, '512' 512, '1024' 1024)
set xrange [*:*]
set offsets graph 0.04, graph 0.04, 0, 0
set yrange [58.2498462:2434.49856]
set ytics ('100' 100, '200' 200, '500' 500, '1000' 1000, '2000' 2000)
plot $points_1_0 using 1:2 with linespoints linecolor rgb '#0072B2' linewidth 2 pointtype 7 pointsize 0.8 dashtype 1 title 'small', \
  $intervals_1_0 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#0072B2' linewidth 1.2 notitle, \
  $points_1_1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 pointtype 5 pointsize 0.8 dashtype 1 title 'medium', \
  $intervals_1_1 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#D55E00' linewidth 1.2 notitle
$points_2_0 << END
128 7.68768 7.80288 "7.69"
256 15.37536 15.60576 "15.4"
512 30.75072 31.21152 "30.8"
1024 61.50144 62.42304 "61.5"
END
$intervals_2_0 << END
128 7.57248 0.2304
256 15.14496 0.4608
512 30.28992 0.9216
1024 60.57984 1.8432
END
$points_2_1 << END
128 23.06304 23.40864 "23.1"
256 46.12608 46.81728 "46.1"
512 92.25216 93.63456 "92.3"
1024 184.50432 187.26912 "185"
END
$intervals_2_1 << END
128 22.71744 0.6912
256 45.43488 1.3824
512 90.86976 2.7648
1024 181.73952 5.5296
END
set title 'Time, optimizer' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Context' offset 0,0.2
set ylabel 'Median time (ms)'
unset logscale
set logscale x 2
set logscale y 10
set xtics norotate ('128' 128, '256' 256, '512' 512, '1024' 1024)
set xrange [*:*]
set offsets graph 0.04, graph 0.04, 0, 0
set yrange [5.82498462:243.449856]
set ytics ('10' 10, '20' 20, '50' 50, '100' 100, '200' 200)
plot $points_2_0 using 1:2 with linespoints linecolor rgb '#0072B2' linewidth 2 pointtype 7 pointsize 0.8 dashtype 1 title 'small', \
  $intervals_2_0 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#0072B2' linewidth 1.2 notitle, \
  $points_2_1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 pointtype 5 pointsize 0.8 dashtype 1 title 'medium', \
  $intervals_2_1 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#D55E00' linewidth 1.2 notitle
$points_3_0 << END
128 123.00288 124.84608 "123"
256 246.00576 249.69216 "246"
512 492.01152 499.38432 "492"
1024 984.02304 998.76864 "984"
END
$intervals_3_0 << END
128 121.15968 3.6864
256 242.31936 7.3728
512 484.63872 14.7456
1024 969.27744 29.4912
END
$points_3_1 << END
128 369.00864 374.53824 "369"
256 738.01728 749.07648 "738"
512 1476.03456 1498.15296 "1476"
1024 2952.06912 2996.30592 "2952"
END
$intervals_3_1 << END
128 363.47904 11.0592
256 726.95808 22.1184
512 1453.91616 44.2368
1024 2907.83232 88.4736
END
set title 'Time, total' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Context' offset 0,0.2
set ylabel 'Median time (ms)'
unset logscale
set logscale x 2
set logscale y 10
set xtics norotate ('128' 128, '256' 256, '512' 512, '1024' 1024)
set xrange [*:*]
set offsets graph 0.04, graph 0.04, 0, 0
set yrange [93.1997538:3895.1977]
set ytics ('100' 100, '200' 200, '500' 500, '1000' 1000, '2000' 2000)
plot $points_3_0 using 1:2 with linespoints linecolor rgb '#0072B2' linewidth 2 pointtype 7 pointsize 0.8 dashtype 1 title 'small', \
  $intervals_3_0 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#0072B2' linewidth 1.2 notitle, \
  $points_3_1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 pointtype 5 pointsize 0.8 dashtype 1 title 'medium', \
  $intervals_3_1 using 1:2:(0):3 with vectors heads size graph 0.006,90 linecolor rgb '#D55E00' linewidth 1.2 notitle
$points_4_0 << END
128 4162.50416 4162.50416 "4163"
256 4162.50416 4162.50416 "4163"
512 4162.50416 4162.50416 "4163"
1024 4162.50416 4162.50416 "4163"
END
$points_4_1 << END
128 1387.50139 1387.50139 "1388"
256 1387.50139 1387.50139 "1388"
512 1387.50139 1387.50139 "1388"
1024 1387.50139 1387.50139 "1388"
END
set title 'Throughput' font 'DejaVu Sans Bold,12' offset 0,-0.2
set xlabel 'Context' offset 0,0.2
set ylabel 'tokens/s'
unset logscale
set logscale x 2
set xtics norotate ('128' 128, '256' 256, '512' 512, '1024' 1024)
set xrange [*:*]
set offsets graph 0.04, graph 0.04, 0, 0
set yrange [0:4662.00466]
set ytics autofreq
plot $points_4_0 using 1:2 with linespoints linecolor rgb '#0072B2' linewidth 2 pointtype 7 pointsize 0.8 dashtype 1 title 'small', \
  $points_4_1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 pointtype 5 pointsize 0.8 dashtype 1 title 'medium'
unset multiplot
